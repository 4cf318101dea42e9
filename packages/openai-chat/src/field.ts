/** Fields of a request of unknown origin, each read as one type or refused with its place. Absent and null are the same. */
import { FactwireError, isObject } from '@factwire/core'

export type Unread = { readonly [key: string]: unknown }

/** Longest accepted array. A request that is longer is an attack or a mistake. */
const MOST = 10_000

export function objectAt(value: unknown, path: string): Unread {
  return isObject(value) ? value : refuse(path, 'an object')
}

export function arrayAt(value: unknown, path: string, expected = 'an array'): readonly unknown[] {
  if (!Array.isArray(value)) return refuse(path, expected)
  if (value.length > MOST) {
    throw new FactwireError('too_large', `${value.length} elements, at most ${MOST} allowed`, place(path))
  }
  return value
}

export function optionalArray(from: Unread, key: string, path: string): readonly unknown[] {
  const value = own(from, key)
  return absent(value) ? [] : arrayAt(value, at(path, key))
}

export function stringAt(from: Unread, key: string, path: string): string {
  const value = own(from, key)
  return typeof value === 'string' ? value : refuse(at(path, key), 'a string')
}

/** A string that names something, so not an empty one. */
export function nameAt(from: Unread, key: string, path: string): string {
  return stringAt(from, key, path) || refuse(at(path, key), 'a string that is not empty')
}

export function optionalString(from: Unread, key: string, path: string): string | undefined {
  return absent(own(from, key)) ? undefined : stringAt(from, key, path)
}

export function flagAt(from: Unread, key: string, path: string): boolean {
  const value = own(from, key)
  if (absent(value)) return false
  return typeof value === 'boolean' ? value : refuse(at(path, key), 'true or false')
}

/** An own property: what an object inherits was not in the JSON. */
export function own(from: Unread, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined
}

export function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

export function at(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

export function refuse(path: string, expected: string): never {
  throw new FactwireError('invalid_value', `expected ${expected}`, place(path))
}

const place = (path: string): { readonly path: string; readonly protocol: string } => ({
  path,
  protocol: 'openai-chat',
})
