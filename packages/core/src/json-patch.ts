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

/** Deepest nesting that patches may build, far beyond what can be sent at once: whoever reads it walks it by calls. */
const MAX_DEPTH = 1000

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
        return fits(operation.value, tokens) && add(tokens, operation.value, undo)
      case 'remove':
        return get(tokens) !== undefined && remove(tokens, undo)
      case 'replace':
        return fits(operation.value, tokens) && replace(tokens, operation.value, undo)
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
          const fitsThere = tokens.length <= from.length || fits(value, tokens)
          return fitsThere && remove(from, undo) && add(tokens, value, undo)
        }
        // Held in two places it would change in both.
        return fits(value, tokens, MAX_COPY) && add(tokens, structuredClone(value), undo)
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
  const pairs: (readonly [Json, Json])[] = [[one, other]]
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [mine, theirs] = pair
    if (mine === theirs) continue
    if (!isContainer(mine) || !isContainer(theirs) || isList(mine) !== isList(theirs)) return false
    const keys = Object.keys(mine)
    if (keys.length !== Object.keys(theirs).length) return false
    for (const key of keys) {
      const [a, b] = [childOf(mine, key), childOf(theirs, key)]
      if (a === undefined || b === undefined) return false
      pairs.push([a, b])
    }
  }
  return true
}

/** Whether a value may stand at a place: not too deep there, and of no more parts than `most`. */
function fits(value: Json, place: readonly string[], most: number = Infinity): boolean {
  let parts = 1
  let depth = place.length
  let level = isContainer(value) ? [value] : []
  for (; level.length > 0; depth++) {
    if (depth >= MAX_DEPTH) return false
    const next: typeof level = []
    for (const container of level) {
      for (const child of Object.values<Json>(container)) {
        if (++parts > most) return false
        if (isContainer(child)) next.push(child)
      }
    }
    level = next
  }
  return true
}
