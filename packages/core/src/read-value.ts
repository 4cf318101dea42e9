/**
 * Small readers that turn parsed JSON of unknown origin into typed values, or say where and how it is wrong.
 *
 * Unknown fields are dropped, unknown variants refused. Nothing here merges objects, so no key reaches a prototype.
 */
import { FactwireError } from './error.ts'
import { isObject, type Json, quote } from './json.ts'

/** Reads the value at a path. Throws `invalid_value`, naming that path, when it is something else. */
export type Read<Value> = (value: unknown, path: string) => Value

type Unread = { readonly [key: string]: unknown }
type OptionalKey<Value, Key extends keyof Value> = Partial<Pick<Value, Key>> extends Pick<Value, Key> ? true : false

/** A reader for each field, the optional ones too: none can be forgotten or misspelt. Their order is that of the keys. */
type Fields<Value> = {
  readonly [Key in keyof Value]-?: OptionalKey<Value, Key> extends true
    ? Read<Value[Key] | undefined>
    : Read<Value[Key]>
}

type Tagged<Union, Tag extends PropertyKey, Name> = Union extends { readonly [Key in Tag]: infer Names }
  ? Name extends Names
    ? Union
    : never
  : never

export const string: Read<string> = (value, path) =>
  typeof value === 'string' ? value : refuse(path, 'a string', value)

export const boolean: Read<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(path, 'true or false', value)

export const integer: Read<number> = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : refuseValue(path, 'a whole number', value)

/** A whole number of at least 0. */
export const count: Read<number> = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : refuseValue(path, 'a whole number, 0 or more', value)

/** A number of at least 0. */
export const amount: Read<number> = (value, path) =>
  typeof value === 'number' && value >= 0 && value < Infinity ? value : refuseValue(path, 'a number, 0 or more', value)

/** Any JSON, as it is. The input is parsed JSON, so only its absence can be wrong. */
export const json: Read<Json> = (value, path) =>
  value === undefined ? refuse(path, 'a JSON value', value) : (value as Json)

/** Any JSON or nothing. Null is a value here, not an absence. */
export const optionalJson: Read<Json | undefined> = (value) => value as Json | undefined

export const object: Read<Unread> = (value, path) => (isObject(value) ? value : refuse(path, 'an object', value))

/** Absent and null are the same: not there. */
export function optional<Value>(read: Read<Value>): Read<Value | undefined> {
  return (value, path) => (value === undefined || value === null ? undefined : read(value, path))
}

/** What stands in where there is nothing or null. */
export function otherwise<Value, Default>(read: Read<Value>, instead: Default): Read<Value | Default> {
  return (value, path) => (value === undefined || value === null ? instead : read(value, path))
}

export function oneOf<const Value extends string>(...allowed: readonly Value[]): Read<Value> {
  return (value, path) => allowed.find((candidate) => candidate === value) ?? refuseValue(path, anyOf(allowed), value)
}

export function arrayOf<Value>(read: Read<Value>): Read<readonly Value[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return refuse(path, 'an array', value)
    return value.map((element: unknown, index) => read(element, `${path}[${index}]`))
  }
}

export function record<Value>(fields: Fields<Value>): Read<Value> {
  const readers = readersOf(fields)
  return (value, path) => readFields(object(value, path), path, readers, {}) as Value
}

/** Reads one of several objects that a tag tells apart; the tag comes first. `older` are former names of tags. */
export function variants<Union, Tag extends keyof Union & string>(
  tag: Tag,
  fields: { readonly [Name in Union[Tag] & string]: Fields<Omit<Tagged<Union, Tag, Name>, Tag>> },
  older: ReadonlyMap<unknown, string> = new Map(),
): Read<Union> {
  const names = Object.keys(fields)
  const byName = new Map<unknown, readonly FieldReader[]>()
  for (const [name, group] of Object.entries<object>(fields)) byName.set(name, readersOf(group))
  return (value, path) => {
    const from = object(value, path)
    const given = own(from, tag)
    const name = older.get(given) ?? given
    const readers = byName.get(name)
    if (!readers) return refuseValue(at(path, tag), anyOf(names), given)
    return readFields(from, path, readers, { [tag]: name }) as Union
  }
}

type FieldReader = readonly [key: string, read: Read<unknown>]

function readersOf(fields: object): readonly FieldReader[] {
  return Object.entries(fields)
}

/** Its callers know the type: the compiler saw a reader for each field of it. */
function readFields(
  from: Unread,
  path: string,
  readers: readonly FieldReader[],
  found: { [key: string]: unknown },
): unknown {
  for (const [key, read] of readers) {
    const field = read(own(from, key), at(path, key))
    if (field !== undefined) found[key] = field
  }
  return found
}

/** An own property: what an object inherits was not in the JSON. */
export function own(from: Unread, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined
}

export function at(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

export function refuse(path: string, expected: string, value: unknown): never {
  throw new FactwireError('invalid_value', `expected ${expected}, got ${kindOf(value)}`, { path })
}

/** As `refuse`, where the kind may be right and the value is wrong: says the value. */
function refuseValue(path: string, expected: string, value: unknown): never {
  throw new FactwireError('invalid_value', `expected ${expected}, got ${shown(value)}`, { path })
}

function anyOf(names: readonly string[]): string {
  return names.length === 1 ? `"${names[0]}"` : `one of ${names.join(', ')}`
}

const LONGEST_SHOWN = 40

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return kindOf(value)
  return quote(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value)
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
