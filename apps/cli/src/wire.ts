/**
 * A wire's name in, its protocol value out: the wire `x` is what the package `@factwire/x` exports under the name `x`.
 *
 * There is no list. A package is looked for where the user stands, then among what came with this command.
 */
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CommanderError } from 'commander'
import { type Decodable, type Encodable, isObject } from '@factwire/core'
import { usageError } from './usage.ts'

/** What a package offers under the wire's name: something to read, to write, or both. */
export type Wire = Pick<Encodable<unknown>, 'name' | 'framing'> & Partial<Encodable<unknown> & Decodable<unknown>>

/** What `readableWire` gives: a wire that has a decoder. */
export type Readable = Wire & Decodable<unknown>

const NAME = /^[a-z0-9-]+$/

/** @throws CommanderError when there is no such wire or it cannot be read. */
export async function readableWire(name: string, cwd: string): Promise<Readable> {
  const wire = await findWire(name, cwd)
  if (!isReadable(wire)) throw usageError(`the wire '${name}' can only be written: it has no decoder`)
  return wire
}

/** @throws CommanderError when there is no such wire or it cannot be written. */
export async function writableWire(name: string, cwd: string): Promise<Encodable<unknown>> {
  const wire = await findWire(name, cwd)
  if (!isWritable(wire)) throw usageError(`the wire '${name}' can only be read: it has no transcoder`)
  return wire
}

/** @throws CommanderError when there is no such wire. */
export function anyWire(name: string, cwd: string): Promise<Wire> {
  return findWire(name, cwd)
}

/** Every wire that can be read and is installed where the user stands or came with this command. */
export async function readableWires(cwd: string): Promise<Readable[]> {
  const names = new Set<string>()
  for (const from of [`${cwd}/`, import.meta.url]) {
    for (const folder of createRequire(from).resolve.paths('@factwire/core') ?? []) {
      for (const name of await readdir(join(folder, '@factwire')).catch(() => [])) names.add(name)
    }
  }
  // A package that cannot be loaded, or holds no protocol (core is one), is no candidate.
  const wires = await Promise.all([...names].map((name) => findWire(name, cwd).catch(() => undefined)))
  return wires.filter((wire) => wire !== undefined).filter(isReadable)
}

async function findWire(name: string, cwd: string): Promise<Wire> {
  if (!NAME.test(name)) throw usageError(`'${name}' is no name of a wire: use small letters, digits and hyphens`)
  const module = await packageNamed(name, cwd)
  if (!module) throw usageError(`no wire '${name}' here; to get it: npm install @factwire/${name}`)
  const wire = Object.values(module).find((value) => isWire(value, name))
  if (!wire) throw usageError(`@factwire/${name} is installed, but it exports no protocol named '${name}'`)
  return wire
}

/** What `@factwire/<name>` exports; undefined where it is not installed. @throws CommanderError when it cannot be loaded. */
export async function packageNamed(name: string, cwd: string): Promise<object | undefined> {
  return (await importFrom(name, cwd)) ?? (await importOwn(name))
}

async function importFrom(name: string, cwd: string): Promise<object | undefined> {
  try {
    const path = createRequire(`${cwd}/`).resolve(`@factwire/${name}`)
    return await importModule(pathToFileURL(path).href)
  } catch (error) {
    if (hasCode(error, 'MODULE_NOT_FOUND')) return undefined
    throw unloadable(name, error)
  }
}

async function importOwn(name: string): Promise<object | undefined> {
  const specifier = `@factwire/${name}`
  try {
    return await importModule(specifier)
  } catch (error) {
    // Something that the package itself imports may be missing too, and that is no reason to say it is not installed.
    if (hasCode(error, 'ERR_MODULE_NOT_FOUND') && error.message.includes(`'${specifier}'`)) return undefined
    throw unloadable(name, error)
  }
}

async function importModule(specifier: string): Promise<object | undefined> {
  const module: unknown = await import(/* @vite-ignore */ specifier)
  return isObject(module) ? module : undefined
}

function unloadable(name: string, error: unknown): CommanderError {
  return usageError(`@factwire/${name} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
}

function hasCode(error: unknown, code: string): error is Error {
  return error instanceof Error && 'code' in error && error.code === code
}

function isWire(value: unknown, name: string): value is Wire {
  return isObject(value) && value['name'] === name && isObject(value['framing'])
}

function isReadable(wire: Wire): wire is Readable {
  return typeof wire.decoder === 'function'
}

function isWritable(wire: Wire): wire is Wire & Encodable<unknown> {
  return typeof wire.transcoder === 'function'
}
