/**
 * Readers of parsed JSON of unknown origin: each gives a typed value, or says where it is wrong and how.
 *
 * Unknown fields are dropped, and whoever wants to know of them is told. Nothing here merges objects, so no key reaches a
 * prototype. A protocol writes its frames down as a table of readers and wraps the whole in `ofProtocol`.
 */
import { FactwireError } from './error.ts'
import { isInfinite, isObject, type Json, type JsonObject, quote, TOO_LARGE } from './json.ts'

/** Told of what is not known here and dropped. */
export type OnUnknown = (path: string, value: unknown) => void

/** Reads the value at a path. Throws `invalid_value`, naming that path, when it is something else. */
export type Read<Value> = (value: unknown, path: string, onUnknown?: OnUnknown) => Value

type Unread = { readonly [key: string]: unknown }
type OptionalKey<Value, Key extends keyof Value> = Partial<Pick<Value, Key>> extends Pick<Value, Key> ? true : false

/** A reader for each field, the optional ones too: none can be forgotten or misspelt. Their order is that of the keys. */
export type Fields<Value> = {
  readonly [Key in keyof Value]-?: OptionalKey<Value, Key> extends true
    ? Read<Value[Key] | undefined>
    : Read<Value[Key]>
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

export const string: Read<string> = (value, path) =>
  typeof value === 'string' ? value : refuse(path, 'a string', value)

/** A string that names something. */
export const nonEmptyString: Read<string> = (value, path) =>
  value === '' ? refuseValue(path, 'a string that is not empty', value) : string(value, path)

export const boolean: Read<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(path, 'true or false', value)

export const number: Read<number> = (value, path) =>
  typeof value === 'number' ? (isInfinite(value) ? unheld(path) : value) : refuse(path, 'a number', value)

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

/** Any JSON, as it is. The input is parsed JSON, so only its absence can be wrong, and a number that is too large to be held. */
export const json: Read<Json> = (value, path) =>
  value === undefined ? refuse(path, 'a JSON value', value) : held(value, path)

/** Any JSON or nothing. Null is a value here, not an absence. */
export const optionalJson: Read<Json | undefined> = (value, path) =>
  value === undefined ? undefined : held(value, path)

/** Any JSON, null where there is none. */
export const anyJson: Read<Json> = (value, path) => (value === undefined ? null : held(value, path))

function held(value: unknown, path: string): Json {
  return isInfinite(value) ? unheld(path) : (value as Json)
}

function unheld(path: string): never {
  throw new FactwireError('invalid_value', TOO_LARGE, { path })
}

/** Any object, of which the fields are to be read. */
export const object: Read<JsonObject> = (value, path) =>
  isObject(value) ? (value as JsonObject) : refuse(path, 'an object', value)

/** Any object, as it is. */
export const jsonObject: Read<JsonObject> = (value, path) =>
  isObject(value) ? (held(value, path) as JsonObject) : refuse(path, 'an object', value)

/** Absent and null are the same: not there. */
export function optional<Value>(read: Read<Value>): Read<Value | undefined> {
  return (value, path, onUnknown) => (value === undefined || value === null ? undefined : read(value, path, onUnknown))
}

/** What stands in where there is nothing or null. */
export function otherwise<Value, Default>(read: Read<Value>, instead: Default): Read<Value | Default> {
  return (value, path, onUnknown) => (value === undefined || value === null ? instead : read(value, path, onUnknown))
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

export function oneOf<const Value extends string>(...allowed: readonly Value[]): Read<Value> {
  return (value, path) => allowed.find((candidate) => candidate === value) ?? refuseValue(path, anyOf(allowed), value)
}

/** An array of at most so many elements; one that is longer is an attack or a mistake. */
export function arrayOf<Value>(read: Read<Value>, most: number = Infinity): Read<readonly Value[]> {
  return (value, path, onUnknown) => {
    if (!Array.isArray(value)) return refuse(path, 'an array', value)
    if (value.length > most) {
      throw new FactwireError('too_large', `${value.length} elements, at most ${most} allowed`, { path })
    }
    return value.map((element: unknown, index) => read(element, `${path}[${index}]`, onUnknown))
  }
}

/** An array whose elements may be of a kind that is not known here: those are dropped. */
export function knownOf<Value>(read: Read<Value | undefined>): Read<readonly Value[]> {
  const all = arrayOf(read)
  return (value, path, onUnknown) => all(value, path, onUnknown).filter((element) => element !== undefined)
}

export function record<Value>(fields: Fields<Value>): Read<Value> {
  const readers = readersOf(fields)
  return (value, path, onUnknown) => {
    const from = object(value, path)
    if (onUnknown) reportUnknown(from, fields, path, onUnknown)
    // The compiler saw a reader for each field.
    return readFields(from, path, readers, {}, onUnknown) as Value
  }
}

/** Reads one of several objects that a tag tells apart; the tag comes first. `older` are former names of tags. */
export function variants<Union, Tag extends keyof Union & string>(
  tag: Tag,
  members: Members<Union, Tag>,
  older?: ReadonlyMap<unknown, string>,
): Read<Union> {
  const read = member(tag, members, older)
  return (value, path, onUnknown) => {
    const from = object(value, path)
    return read(from, path, onUnknown) ?? refuseValue(at(path, tag), anyOf(Object.keys(members)), own(from, tag))
  }
}

/** As `variants`. Undefined for a tag that is not known here. */
export function known<Union, Tag extends keyof Union & string>(
  tag: Tag,
  members: Members<Union, Tag>,
): Read<Union | undefined> {
  const read = member(tag, members)
  return (value, path, onUnknown) => {
    const from = object(value, path)
    const found = read(from, path, onUnknown)
    if (found !== undefined) return found
    const name = field(from, tag, string, path)
    onUnknown?.(at(path, tag), name)
    return undefined
  }
}

function member<Union, Tag extends keyof Union & string>(
  tag: Tag,
  members: Members<Union, Tag>,
  older: ReadonlyMap<unknown, string> = new Map(),
): (from: Unread, path: string, onUnknown: OnUnknown | undefined) => Union | undefined {
  const byName = new Map<unknown, readonly FieldReader[]>()
  for (const [name, fields] of Object.entries<object>(members)) byName.set(name, readersOf(fields))
  return (from, path, onUnknown) => {
    const given = own(from, tag)
    const name = older.get(given) ?? given
    const readers = byName.get(name)
    if (!readers) return undefined
    if (onUnknown) reportUnknown(from, { [tag]: tag, ...members[name as keyof typeof members] }, path, onUnknown)
    return readFields(from, path, readers, { [tag]: name }, onUnknown) as Union
  }
}

type FieldReader = readonly [key: string, read: Read<unknown>]

function readersOf(fields: object): readonly FieldReader[] {
  return Object.entries(fields)
}

function readFields(
  from: Unread,
  path: string,
  readers: readonly FieldReader[],
  found: { [key: string]: unknown },
  onUnknown: OnUnknown | undefined,
): unknown {
  for (const [key, read] of readers) {
    const value = read(own(from, key), at(path, key), onUnknown)
    if (value !== undefined) found[key] = value
  }
  return found
}

function reportUnknown(from: Unread, fields: object, path: string, onUnknown: OnUnknown): void {
  for (const key of Object.keys(from)) if (!Object.hasOwn(fields, key)) onUnknown(at(path, key), from[key])
}

/** Reads one field of an object, where a table would not do. */
export function field<Value>(from: Unread, key: string, read: Read<Value>, path = ''): Value {
  return read(own(from, key), at(path, key))
}

/** An own property: what an object inherits was not in the JSON. */
export function own(from: Unread, key: string): unknown {
  const value = from[key]
  // Most optional fields are absent, and looking is quicker than asking.
  return value === undefined || Object.hasOwn(from, key) ? value : undefined
}

/** The path of a field. */
export function at(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

/** The reader of a whole frame or body: what it refuses is refused by this protocol. */
export function ofProtocol<Value>(protocol: string, read: Read<Value>): Read<Value> {
  return (value, path, onUnknown) => {
    try {
      return read(value, path, onUnknown)
    } catch (error) {
      if (!(error instanceof FactwireError)) throw error
      const { code, reason, path: where } = error
      throw new FactwireError(code, reason, { ...(where === undefined ? {} : { path: where }), protocol, cause: error })
    }
  }
}

/** Says where a value is wrong: what was expected, and the kind of what came. */
export function refuse(path: string, expected: string, value: unknown): never {
  throw new FactwireError('invalid_value', `expected ${expected}, got ${kindOf(value)}`, { path })
}

/** As `refuse`, where the kind may be right and the value is wrong: says the value. */
export function refuseValue(path: string, expected: string, value: unknown): never {
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
