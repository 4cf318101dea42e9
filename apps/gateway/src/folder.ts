/** What the files of a folder export under one name, by the names of the files: there is no list to keep. */
import { readdir } from 'node:fs/promises'
import { isObject } from '@factwire/core'

const MODULE = /^([a-z0-9-]+)\.(?:js|ts)$/

/** @throws TypeError for a file without that export. */
export async function valuesIn<Value>(folder: URL, name: string): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>()
  for (const file of (await readdir(folder)).toSorted()) {
    const base = MODULE.exec(file)?.[1]
    if (base === undefined) continue
    const module: unknown = await import(/* @vite-ignore */ new URL(file, folder).href)
    const value = isObject(module) ? module[name] : undefined
    if (!isObject(value)) throw new TypeError(`${file} has to export a ${name}`)
    // What it is, the compiler has seen in its file.
    found.set(base, value as Value)
  }
  return found
}
