/**
 * A JSON document that patches change, operation by operation; a patch that fails changes nothing.
 *
 * What was given out stays as it was: parts are copied once, when they are first changed after that, and then changed
 * in place, so that a patch costs no more for a document that is large.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
import type { Json, JsonObject, JsonPatch } from './json.ts'

export interface PatchedDocument {
  /** False when it does not apply: the document is as before. */
  apply(patch: readonly JsonPatch[]): boolean
  /** The document as it is now, for keeps. */
  value(): Json
}

type Container = Json[] | { [key: string]: Json }

/** A location: the container, already ours to change, and the key in it. */
interface Place {
  readonly container: Container
  readonly key: string
}

/** Largest value that `copy` may double. A few patches of nothing but copies would else give a document without end. */
const MAX_COPY = 100_000

export function patchedDocument(initial: Json): PatchedDocument {
  let root = initial
  /** Containers that nobody else holds, by themselves: the compiler then knows that they may be changed. */
  const ours = new Map<Json, Container>()

  function own(value: Json): Container | undefined {
    const known = ours.get(value)
    if (known || !isContainer(value)) return known
    const copy: Container = isList(value) ? [...value] : { ...value }
    ours.set(copy, copy)
    return copy
  }

  /** Makes every container on the way ours. Equal copies are no change, so there is nothing to take back. */
  function placeOf(tokens: readonly string[]): Place | undefined {
    const key = tokens.at(-1)
    let container = own(root)
    if (!container || key === undefined) return undefined
    root = container
    for (const token of tokens.slice(0, -1)) {
      const child = childOf(container, token)
      const next: Container | undefined = child === undefined ? undefined : own(child)
      if (!next) return undefined
      put(container, token, next)
      container = next
    }
    return { container, key }
  }

  function get(tokens: readonly string[]): Json | undefined {
    let value: Json | undefined = root
    for (const token of tokens) value = value === undefined ? undefined : childOf(value, token)
    return value
  }

  /** Each change pushes what takes it back. */
  function add(tokens: readonly string[], value: Json, undo: (() => void)[]): boolean {
    if (tokens.length === 0) return setRoot(value, undo)
    const place = placeOf(tokens)
    if (!place) return false
    const { container, key } = place
    if (Array.isArray(container)) {
      const index = key === '-' ? container.length : indexOf(key)
      if (index === undefined || index > container.length) return false
      container.splice(index, 0, value)
      undo.push(() => container.splice(index, 1))
      return true
    }
    const before = childOf(container, key)
    put(container, key, value)
    undo.push(before === undefined ? () => delete container[key] : () => put(container, key, before))
    return true
  }

  function remove(tokens: readonly string[], undo: (() => void)[]): boolean {
    if (tokens.length === 0) return setRoot(null, undo)
    const place = placeOf(tokens)
    const before = place && childOf(place.container, place.key)
    if (!place || before === undefined) return false
    const { container, key } = place
    if (Array.isArray(container)) {
      const index = Number(key)
      container.splice(index, 1)
      undo.push(() => container.splice(index, 0, before))
    } else {
      delete container[key]
      undo.push(() => put(container, key, before))
    }
    return true
  }

  function replace(tokens: readonly string[], value: Json, undo: (() => void)[]): boolean {
    if (tokens.length === 0) return setRoot(value, undo)
    const place = placeOf(tokens)
    const before = place && childOf(place.container, place.key)
    if (!place || before === undefined) return false
    put(place.container, place.key, value)
    undo.push(() => put(place.container, place.key, before))
    return true
  }

  function setRoot(value: Json, undo: (() => void)[]): boolean {
    const before = root
    root = value
    undo.push(() => {
      root = before
    })
    return true
  }

  function run(operation: JsonPatch, undo: (() => void)[]): boolean {
    const tokens = tokensOf(operation.path)
    if (!tokens) return false
    switch (operation.op) {
      case 'add':
        return add(tokens, operation.value, undo)
      case 'remove':
        return get(tokens) !== undefined && remove(tokens, undo)
      case 'replace':
        return replace(tokens, operation.value, undo)
      case 'test': {
        const value = get(tokens)
        return value !== undefined && equalJson(value, operation.value)
      }
      case 'copy':
      case 'move': {
        const from = tokensOf(operation.from)
        const value = from && get(from)
        if (!from || value === undefined) return false
        if (operation.op === 'move') {
          if (operation.path === operation.from) return true
          if (operation.path.startsWith(`${operation.from}/`)) return false
          return remove(from, undo) && add(tokens, value, undo)
        }
        // Held in two places it would change in both.
        return sizeUpTo(value, MAX_COPY) <= MAX_COPY && add(tokens, structuredClone(value), undo)
      }
    }
  }

  return {
    apply(patch) {
      const undo: (() => void)[] = []
      if (patch.every((operation) => run(operation, undo))) return true
      for (const takeBack of undo.reverse()) takeBack()
      return false
    },
    value() {
      ours.clear()
      return root
    },
  }
}

/** Undefined for what is no JSON pointer. */
function tokensOf(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function indexOf(token: string): number | undefined {
  return /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : undefined
}

/** Own values only: no key leads to a prototype. */
function childOf(value: Json, token: string): Json | undefined {
  if (!isContainer(value)) return undefined
  if (!isList(value)) return Object.hasOwn(value, token) ? value[token] : undefined
  const index = indexOf(token)
  return index === undefined ? undefined : value[index]
}

/** Sets a value where it is, or a new key of an object. Assigning `__proto__` would change the prototype instead. */
function put(container: Container, key: string, value: Json): void {
  if (Array.isArray(container)) container[Number(key)] = value
  else if (key !== '__proto__') container[key] = value
  else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
}

function isContainer(value: Json): value is readonly Json[] | JsonObject {
  return typeof value === 'object' && value !== null
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value)
}

/** Equal as JSON: the order of keys says nothing. */
export function equalJson(one: Json, other: Json): boolean {
  if (one === other) return true
  if (!isContainer(one) || !isContainer(other) || isList(one) !== isList(other)) return false
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => equalAt(one, other, key))
}

function equalAt(one: Json, other: Json, key: string): boolean {
  const mine = childOf(one, key)
  const theirs = childOf(other, key)
  return mine !== undefined && theirs !== undefined && equalJson(mine, theirs)
}

/** How many values there are, counted no further than the limit. */
function sizeUpTo(value: Json, limit: number): number {
  let size = 1
  if (!isContainer(value)) return size
  for (const child of Object.values(value)) {
    if (size > limit) break
    size += sizeUpTo(child, limit - size)
  }
  return size
}
