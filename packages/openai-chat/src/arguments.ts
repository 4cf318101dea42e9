/**
 * Turns the fragments of a call's arguments into their text.
 *
 * Most servers send suffixes. Some send all that there is so far, some the whole again at the end, some an object. Which it is
 * must be told from the text, and a guess must not be shown before it is certain: what was shown cannot be taken back.
 */
import { hasAt, isInfinite, type Json, parseJson, TOO_LARGE } from '@factwire/core'
import { growth, type Growth, type Piece } from './growth.ts'

/** How fragments are read: as suffixes, as all there is so far, or whichever of them they turn out to be. */
export type ArgumentMode = 'detect' | 'suffix' | 'cumulative'

export interface ArgumentText {
  readonly text: string
  /** One JSON value is complete: whatever follows but white space is not part of it. */
  readonly complete: boolean
  add(fragment: unknown): void
  /** The next piece to show. */
  take(): Piece | undefined
  /** The fragments are over, as far as one can tell: decides what was in doubt, so that it can be shown. */
  settle(): void
}

/** White space that JSON allows around values. */
const BLANK = /^[ \t\r\n]*$/

export function argumentText(mode: ArgumentMode): ArgumentText {
  const shown: Growth = growth()
  let text = ''
  let unshown = ''
  let nesting = nestingOf('')
  let cumulative = mode === 'cumulative'
  // The latest fragment, while each fragment since the first started with the one before: either all there is so far, or the same
  // words nested. `doubtful` is what the fragments after the first add if they are suffixes.
  let chain = ''
  let doubtful = ''
  let growths = 0
  // Text that may still be replaced is not shown.
  let held = false
  let settled = false
  let diverged = false
  // Something follows a complete value, so the text is no JSON, and need not be parsed again with each fragment to see that.
  let overlong = false

  function append(suffix: string): void {
    text += suffix
    unshown += suffix
    nesting.read(suffix)
  }

  function replace(whole: string): void {
    const before = shown.text
    diverged ||= !hasAt(whole, before)
    text = whole
    unshown = diverged ? '' : whole.slice(before.length)
    nesting = nestingOf(whole)
    overlong = false
  }

  function addText(fragment: string): void {
    if (fragment === '') return
    if (cumulative) grow(fragment)
    else if (mode === 'suffix') append(fragment)
    else if (nesting.complete && !BLANK.test(fragment)) restate(fragment)
    else if (chain !== '') follow(fragment)
    else {
      if (text === '' && fragment.startsWith('{')) chain = fragment
      append(fragment)
    }
  }

  function grow(fragment: string): void {
    if (fragment.length > text.length && hasAt(fragment, text)) append(fragment.slice(text.length))
    // An earlier state that comes again says nothing; anything else is another whole.
    else if (!hasAt(text, fragment)) replace(fragment)
  }

  /** Nothing can follow a complete value, so this is the same again, or what an empty object kept the place of. */
  function restate(fragment: string): void {
    const isPlaceholder = isEmptyObject(text) && fragment.startsWith('{')
    if (isPlaceholder) chain = fragment
    if (isPlaceholder || hasAt(fragment, text)) replace(fragment)
    else if (overlong || !sameJson(text, fragment)) {
      overlong = true
      append(fragment)
    }
  }

  function follow(fragment: string): void {
    if (!hasAt(fragment, chain)) {
      const suffixes = doubtful
      chain = ''
      doubtful = ''
      if (suffixes !== '') append(suffixes)
      addText(fragment)
      return
    }
    if (fragment.length > chain.length) growths++
    chain = fragment
    doubtful += fragment
    // A brace never follows a brace, and nobody nests the same words three times over.
    if (growths < 2 && !isOpenBrace(text)) return
    cumulative = true
    decide(fragment)
  }

  function decide(whole: string): void {
    chain = ''
    doubtful = ''
    replace(whole)
  }

  function addObject(value: object): void {
    // Text that does not parse is never run.
    decide(isInfinite(value) ? `${JSON.stringify(value)} (${TOO_LARGE})` : JSON.stringify(value))
    held = true
  }

  return {
    get text() {
      return text
    },
    get complete() {
      return doubtful === '' && nesting.complete
    },
    add(fragment) {
      if (typeof fragment === 'string') addText(fragment)
      else if (typeof fragment === 'object' && fragment !== null) addObject(fragment)
    },
    take() {
      if (held || unshown === '' || (!settled && isEmptyObject(text))) return undefined
      const piece = shown.add(unshown)
      unshown = ''
      return piece
    },
    settle() {
      held = false
      settled = true
      if (doubtful !== '') decide(nestingOf(text + doubtful).complete ? text + doubtful : chain)
    },
  }
}

function isOpenBrace(text: string): boolean {
  return text.length < 16 && text.trim() === '{'
}

function isEmptyObject(text: string): boolean {
  return text.length === 2 && text === '{}'
}

export function sameJson(one: string, other: string): boolean {
  if (one === other) return true
  try {
    return JSON.stringify(parseJson(one)) === JSON.stringify(parseJson(other))
  } catch {
    return false
  }
}

interface Nesting {
  readonly complete: boolean
  read(text: string): void
}

/** Follows the brackets of an object or array, fragment by fragment, so that nobody has to parse the whole again. */
function nestingOf(text: string): Nesting {
  let depth = 0
  let closed = false
  let spoiled = false
  let quoted = false
  let escaped = false

  function read(fragment: string): void {
    for (let index = 0; index < fragment.length; index++) {
      const unit = fragment.charCodeAt(index)
      if (escaped) escaped = false
      else if (quoted) {
        if (unit === 0x5c) escaped = true
        else if (unit === 0x22) quoted = false
      } else if (unit === 0x22) quoted = true
      else if (unit === 0x7b || unit === 0x5b) {
        if (closed) spoiled = true
        depth++
      } else if (unit === 0x7d || unit === 0x5d) closed = --depth === 0
    }
  }
  read(text)

  return {
    get complete() {
      return closed && !spoiled && !quoted
    },
    read,
  }
}

/** What a call asks for, once its arguments are over. `usable` is false for text that must never be run. */
export interface Input {
  readonly input: Json
  readonly raw_input?: string
  readonly usable: boolean
}

export function inputOf(text: string): Input {
  if (text === '') return { input: {}, usable: true }
  if (BLANK.test(text)) return { input: {}, raw_input: text, usable: true }
  let input: Json
  try {
    input = parseJson(text)
  } catch {
    return { input: null, raw_input: text, usable: false }
  }
  return exact(input, text)
}

/** The input of a custom tool is text, not JSON. */
export function freeInputOf(text: string): Input {
  return exact(text, text)
}

function exact(input: Json, text: string): Input {
  return JSON.stringify(input) === text ? { input, usable: true } : { input, raw_input: text, usable: true }
}
