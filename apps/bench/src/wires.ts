/** Every wire, found by its folder: a new one is measured without an edit here. */
import { readdirSync } from 'node:fs'
import { type Decodable, type Encodable, isObject } from '@factwire/core'

const PACKAGES = new URL('../../../packages/', import.meta.url)

/** What a package offers under the wire's name: something to read, to write, or both. */
export type Wire = Pick<Encodable<unknown>, 'name' | 'framing'> & Partial<Encodable<unknown> & Decodable<unknown>>
export type Writable = Wire & Encodable<unknown>
export type Readable = Wire & Decodable<unknown>

export const packageNames: readonly string[] = readdirSync(PACKAGES).toSorted()

/** Where a built package begins. */
export const entryOf = (name: string): URL => new URL(`${name}/dist/index.js`, PACKAGES)

export async function findWires(): Promise<Wire[]> {
  const found: Wire[] = []
  for (const name of packageNames) {
    const exported: Record<string, unknown> = await import(entryOf(name).href)
    const wire = Object.values(exported).find((value) => isWire(value, name))
    if (wire) found.push(wire)
  }
  return found
}

export const isWritable = (wire: Wire): wire is Writable => typeof wire.transcoder === 'function'
export const isReadable = (wire: Wire): wire is Readable => typeof wire.decoder === 'function'

function isWire(value: unknown, name: string): value is Wire {
  return isObject(value) && value['name'] === name && isObject(value['framing'])
}
