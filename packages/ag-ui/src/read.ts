/**
 * Readers of parsed JSON: each checks one kind of value and gives it typed, or throws `invalid_value` with the path.
 *
 * Fields that are not asked for are dropped, which whoever wants to know is told.
 */
import { FactwireError, type Json, type JsonObject, isObject } from '@factwire/core'

/** Told of what is not known here and dropped. */
export type OnUnknown = (path: string, value: unknown) => void

export type Read<Value> = (value: unknown, path: string, onUnknown?: OnUnknown) => Value

export type Unread = { readonly [key: string]: unknown }

type IsOptional<Value, Key extends keyof Value> = Partial<Pick<Value, Key>> extends Pick<Value, Key> ? true : false

/** A reader for each field, the optional ones too: none can be forgotten or misspelt. */
export type Fields<Value> = {
  readonly [Key in keyof Value]-?: IsOptional<Value, Key> extends true ? Read<Value[Key] | undefined> : Read<Value[Key]>
}

type Tagged<Union, Tag extends PropertyKey, Name> = Union extends { readonly [Key in Tag]: infer Names }
  ? Name extends Names
    ? Union
    : never
  : never

/** The fields of each member of a union, by its tag. */
export type Members<Union, Tag extends keyof Union & string> = {
  readonly [Name in Union[Tag] & string]: Fields<Omit<Tagged<Union, Tag, Name>, Tag>>
}

export const string: Read<string> = (value, path) => (typeof value === 'string' ? value : refuse(path, 'a string'))

export const boolean: Read<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(path, 'true or false')

export const number: Read<number> = (value, path) => (typeof value === 'number' ? value : refuse(path, 'a number'))

export const count: Read<number> = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : refuse(path, 'a whole number')

/** Any JSON. What comes in is parsed JSON, so only its absence can be wrong. */
export const json: Read<Json> = (value, path) => (value === undefined ? refuse(path, 'a JSON value') : (value as Json))

/** Any JSON, null where there is none. */
export const anyJson: Read<Json> = (value) => (value === undefined ? null : (value as Json))

export const jsonObject: Read<JsonObject> = (value, path) =>
  isObject(value) ? (value as JsonObject) : refuse(path, 'an object')

/** Absent and null are the same: older peers send null where nothing is meant. */
export function optional<Value>(read: Read<Value>): Read<Value | undefined> {
  return (value, path, onUnknown) => (value === undefined || value === null ? undefined : read(value, path, onUnknown))
}

/** For what nobody needs enough to refuse the rest because of it: dropped when it is wrong. */
export function lenient<Value>(read: Read<Value>): Read<Value | undefined> {
  return (value, path, onUnknown) => {
    if (value === undefined || value === null) return undefined
    try {
      return read(value, path, onUnknown)
    } catch (error) {
      if (!(error instanceof FactwireError)) throw error
      onUnknown?.(path, value)
      return undefined
    }
  }
}

export function otherwise<Value>(read: Read<Value>, instead: Value): Read<Value> {
  return (value, path, onUnknown) => (value === undefined || value === null ? instead : read(value, path, onUnknown))
}

export function oneOf<const Value extends string>(...allowed: readonly Value[]): Read<Value> {
  return (value, path) => allowed.find((word) => word === value) ?? refuse(path, `one of ${allowed.join(', ')}`)
}

export function arrayOf<Value>(read: Read<Value>): Read<readonly Value[]> {
  return (value, path, onUnknown) => {
    if (!Array.isArray(value)) return refuse(path, 'an array')
    return value.map((element: unknown, index) => read(element, `${path}[${index}]`, onUnknown))
  }
}

/** An array whose elements may be of a kind that is not known here: those are dropped. */
export function knownOf<Value>(read: Read<Value | undefined>): Read<readonly Value[]> {
  const all = arrayOf(read)
  return (value, path, onUnknown) => all(value, path, onUnknown).filter((element) => element !== undefined)
}

export function record<Value>(fields: Fields<Value>): Read<Value> {
  const readers = Object.entries<Read<unknown>>(fields)
  return (value, path, onUnknown) => {
    const from = objectAt(value, path)
    if (onUnknown) reportUnknown(from, fields, path, onUnknown)
    // The compiler saw a reader for each field.
    return readFields(from, path, readers, {}, onUnknown) as Value
  }
}

/** One of several objects that a tag tells apart. Undefined for a tag that is not known here. */
export function known<Union, Tag extends keyof Union & string>(
  tag: Tag,
  members: Members<Union, Tag>,
): Read<Union | undefined> {
  const byName = new Map<unknown, readonly (readonly [string, Read<unknown>])[]>()
  for (const [name, fields] of Object.entries<object>(members)) byName.set(name, Object.entries(fields))
  return (value, path, onUnknown) => {
    const from = objectAt(value, path)
    const name = from[tag]
    const readers = byName.get(name)
    if (!readers) {
      if (typeof name !== 'string') return refuse(at(path, tag), 'a string')
      onUnknown?.(at(path, tag), name)
      return undefined
    }
    if (onUnknown) reportUnknown(from, { [tag]: tag, ...members[name as keyof typeof members] }, path, onUnknown)
    return readFields(from, path, readers, { [tag]: name }, onUnknown) as Union
  }
}

/** As `known`, where nothing else will do. */
export function variants<Union, Tag extends keyof Union & string>(tag: Tag, members: Members<Union, Tag>): Read<Union> {
  const read = known(tag, members)
  return (value, path, onUnknown) =>
    read(value, path, onUnknown) ?? refuse(at(path, tag), `one of ${Object.keys(members).join(', ')}`)
}

function readFields(
  from: Unread,
  path: string,
  readers: readonly (readonly [string, Read<unknown>])[],
  found: { [key: string]: unknown },
  onUnknown: OnUnknown | undefined,
): unknown {
  for (const [key, read] of readers) {
    const value = read(from[key], path === '' ? key : `${path}.${key}`, onUnknown)
    if (value !== undefined) found[key] = value
  }
  return found
}

function reportUnknown(from: Unread, fields: object, path: string, onUnknown: OnUnknown): void {
  for (const key of Object.keys(from)) if (!Object.hasOwn(fields, key)) onUnknown(at(path, key), from[key])
}

export function objectAt(value: unknown, path: string): Unread {
  return isObject(value) ? value : refuse(path, 'an object')
}

export function at(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

export function refuse(path: string, expected: string): never {
  throw new FactwireError('invalid_value', `expected ${expected}`, { path, protocol: 'ag-ui' })
}
