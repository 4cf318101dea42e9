/** The protocols of this repository, found by their folders: nobody keeps a list. */
import { readFileSync, readdirSync } from 'node:fs'
import type { Decodable, Encodable } from '@factwire/core'

export type AnyProtocol = Encodable<unknown> & Partial<Decodable<unknown>>
export type Reading = Decodable<unknown>

const root = new URL('../../../', import.meta.url)

/** What a package exports under the name of its folder, as a protocol does. */
export async function protocols(): Promise<readonly (Partial<AnyProtocol> & Pick<AnyProtocol, 'name' | 'framing'>)[]> {
  const found = await Promise.all(
    readdirSync(new URL('packages/', root)).map(async (folder) => {
      const exported: object = await import(new URL(`packages/${folder}/src/index.ts`, root).href)
      return Object.values(exported).find((value) => isProtocol(value, folder))
    }),
  )
  return found.filter((value) => value !== undefined)
}

function isProtocol(value: unknown, name: string): value is AnyProtocol {
  return typeof value === 'object' && value !== null && 'framing' in value && 'name' in value && value.name === name
}

export interface Recording {
  readonly file: string
  readonly bytes: Uint8Array
}

/** The recorded streams of a wire: its own, and those that the demo keeps. */
export function recordings(name: string): readonly Recording[] {
  return [...filesIn(`packages/${name}/golden/`, '.wire'), ...filesIn('apps/demo/golden/', `.${name}.wire`)]
}

function filesIn(folder: string, ending: string): readonly Recording[] {
  const url = new URL(folder, root)
  return names(url)
    .filter((file) => file.endsWith(ending))
    .map((file) => ({ file: folder + file, bytes: readFileSync(new URL(file, url)) }))
}

function names(folder: URL): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
