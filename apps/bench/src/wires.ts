/** Every wire that can be written, found by its folder: a new one is measured without an edit here. */
import { readdirSync } from 'node:fs'
import type { Encodable } from '@factwire/core'

const PACKAGES = new URL('../../../packages/', import.meta.url)

export async function encoders(): Promise<Encodable<unknown>[]> {
  const found: Encodable<unknown>[] = []
  for (const name of readdirSync(PACKAGES)) {
    const exported: Record<string, unknown> = await import(new URL(`${name}/dist/index.js`, PACKAGES).href)
    const wire = Object.values(exported).find((value) => isEncoder(value, name))
    if (wire) found.push(wire)
  }
  return found
}

function isEncoder(value: unknown, name: string): value is Encodable<unknown> {
  return typeof value === 'object' && value !== null && 'transcoder' in value && 'name' in value && value.name === name
}
