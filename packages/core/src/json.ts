/**
 * JSON values, and the two ways they cross a border: bounded text in, line-safe text out.
 *
 * Nothing here merges objects: a key such as `__proto__` stays an own property and never reaches a prototype.
 */
import { FactwireError } from './error.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** One RFC 6902 operation. @see https://www.rfc-editor.org/rfc/rfc6902 */
export type JsonPatch =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string }

export interface JsonLimits {
  /** Longest accepted text, in UTF-16 units. Default 16 Mi. */
  readonly size?: number
  /** Deepest accepted nesting of arrays and objects. Default 128. */
  readonly depth?: number
}

const DEFAULT_SIZE = 16 * 1024 * 1024
const DEFAULT_DEPTH = 128

/**
 * Parses JSON text of unknown origin. A number that is too large to be held (`1e999`) is refused: it would be infinite here, which is
 * no JSON, and null wherever it is written again.
 *
 * @throws FactwireError `too_large`, `too_deep` or `malformed_json`.
 */
export function parseJson(text: string, limits: JsonLimits = {}): Json {
  const value = parseUnread(text, limits)
  if (isInfinite(value)) throw new FactwireError('malformed_json', TOO_LARGE)
  return value
}

/** What is said of a number that is too large to be held. */
export const TOO_LARGE = 'a number is too large to be held'

/**
 * As `parseJson`, but for the look at every number: for whoever reads the value by a table of readers, which look at what they keep.
 *
 * @throws FactwireError `too_large`, `too_deep` or `malformed_json`.
 */
export function parseUnread(text: string, limits: JsonLimits = {}): Json {
  const size = limits.size ?? DEFAULT_SIZE
  if (text.length > size) throw new FactwireError('too_large', `JSON of ${text.length} units, at most ${size} allowed`)
  const depth = limits.depth ?? DEFAULT_DEPTH
  if (exceedsDepth(text, depth)) throw new FactwireError('too_deep', `JSON nests deeper than ${depth} levels`)
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new FactwireError('malformed_json', cause instanceof Error ? cause.message : 'not JSON', { cause })
  }
}

/** Whether some number in it is. Parsed text has no other number that is no JSON. */
export function isInfinite(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === Infinity || value === -Infinity
  const open: object[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const inner of Object.values<unknown>(next as { readonly [key: string]: unknown })) {
      if (inner === Infinity || inner === -Infinity) return true
      if (typeof inner === 'object' && inner !== null) open.push(inner)
    }
  }
  return false
}

/** Looks at the text, not at the value: a value that is too deep must not be built first. */
function exceedsDepth(text: string, limit: number): boolean {
  // Text without that many brackets cannot nest deeper, wherever they stand; nearly every text ends here.
  if (text.length <= limit || count(text, '{', limit) + count(text, '[', limit) <= limit) return false
  let depth = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (quoted) {
      if (unit === 0x5c) index++
      else if (unit === 0x22) quoted = false
    } else if (unit === 0x22) quoted = true
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > limit) return true
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return false
}

/** How often a mark stands in a text; counting stops above `most`. */
function count(text: string, mark: string, most: number): number {
  let found = 0
  for (let at = text.indexOf(mark); at >= 0 && found <= most; at = text.indexOf(mark, at + 1)) found++
  return found
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value)
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// U+2028, U+2029 and U+0085 are legal inside JSON strings, yet many readers split lines at them.
const UNSAFE = /["\\\u0000-\u001f\u0085\u2028\u2029\ud800-\udfff]/
const LINE_BREAKS = /[\u0085\u2028\u2029]/g

/** The JSON of a string, quotes included, safe to stand on one line. */
export function quote(text: string): string {
  return `"${escaped(text)}"`
}

/**
 * What stands between the quotes of a string's JSON, safe to stand on one line. Written for short text, which is nearly always
 * its own JSON: one regex, and the quotes can be part of what stands around it.
 */
export function escaped(text: string): string {
  return UNSAFE.test(text) ? stringify(text).slice(1, -1) : text
}

/** `JSON.stringify` on one line: line breaks that JSON allows inside strings are written as escapes. */
export function stringify(value: unknown): string {
  const json = JSON.stringify(value)
  return isLineSafe(json) ? json : json.replace(LINE_BREAKS, escapeUnit)
}

/** A search for one character is ten times as fast as a class of them: results of tools are long. */
function isLineSafe(json: string): boolean {
  return !json.includes('\u2028') && !json.includes('\u2029') && !json.includes('\u0085')
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
