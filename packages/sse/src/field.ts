/**
 * Fields of parsed JSON, each read as one type or refused with its place. Absent and null are the same where a field
 * may be missing.
 */
import { FactwireError, type Json, type JsonObject, isObject } from '@factwire/core'

export type Unread = { readonly [key: string]: unknown }

export function object(value: unknown, path: string): Unread {
  return isObject(value) ? value : refuse(path, 'an object')
}

export function string(from: Unread, key: string, path = ''): string {
  const value = from[key]
  return typeof value === 'string' ? value : refuse(at(path, key), 'a string')
}

export function optionalString(from: Unread, key: string, path = ''): string | undefined {
  return absent(from[key]) ? undefined : string(from, key, path)
}

export function optionalInteger(from: Unread, key: string, path = ''): number | undefined {
  const value = from[key]
  if (absent(value)) return undefined
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : refuse(at(path, key), 'a whole number')
}

/** A number of at least 0. JSON such as `1e999` is none. */
export function amount(from: Unread, key: string, path = ''): number {
  const value = from[key]
  return typeof value === 'number' && value >= 0 && value < Infinity
    ? value
    : refuse(at(path, key), 'a number, 0 or more')
}

export function array(from: Unread, key: string, path = ''): readonly unknown[] {
  const value = from[key]
  return Array.isArray(value) ? value : refuse(at(path, key), 'an array')
}

/** One of a few words; `instead` where the field is missing. */
export function oneOf<Word extends string>(
  from: Unread,
  key: string,
  words: readonly Word[],
  path: string,
  instead?: Word,
): Word {
  const value = from[key]
  if (absent(value) && instead !== undefined) return instead
  return words.find((word) => word === value) ?? refuse(at(path, key), `one of ${words.join(', ')}`)
}

/** Anybody's JSON, as it is. */
export function json(from: Unread, key: string, path = ''): Json {
  return from[key] === undefined ? refuse(at(path, key), 'a JSON value') : jsonOf(from[key])
}

export function optionalJson(from: Unread, key: string): Json | undefined {
  return absent(from[key]) ? undefined : jsonOf(from[key])
}

/** What comes in here is parsed JSON, so every part of it is JSON. */
export function jsonOf(value: unknown): Json {
  return value as Json
}

export function jsonObject(value: unknown, path: string): JsonObject {
  return object(value, path) as JsonObject
}

export function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

/** `{ [key]: value }`, or nothing where there is no value: absent keys are not written. */
export function given<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  // A computed key loses its name in the type.
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value })
}

export function at(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}

export function refuse(path: string, expected: string): never {
  throw new FactwireError('invalid_value', `expected ${expected}`, { path, protocol: 'sse' })
}
