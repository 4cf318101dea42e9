/** How what was shown stands to the truth: the tail that is missing, empty for nothing, undefined where they diverged. */
import { hasAt } from './has-at.ts'

/** `shown` is in pieces, as the client has seen it. */
export function tailOf(shown: readonly string[], truth: string): string | undefined {
  let at = 0
  for (const piece of shown) {
    if (!hasAt(truth, piece, at)) return undefined
    at += piece.length
  }
  return truth.slice(at)
}

/** The same for the text of arguments, where white space outside strings does not count. */
export function argumentsTail(pieces: readonly string[], truth: string): string | undefined {
  const tail = tailOf(pieces, truth)
  if (tail !== undefined) return tail
  const shown = pieces.join('')
  let at = 0
  let quoted = false
  for (let index = 0; index < shown.length; index++) {
    const unit = shown.charCodeAt(index)
    if (!quoted) {
      if (isSpace(unit)) continue
      while (isSpace(truth.charCodeAt(at))) at++
    }
    if (truth.charCodeAt(at) !== unit) return undefined
    at++
    if (unit === QUOTE) quoted = !quoted
    else if (quoted && unit === BACKSLASH && index + 1 < shown.length) {
      if (truth.charCodeAt(at) !== shown.charCodeAt(index + 1)) return undefined
      index++
      at++
    }
  }
  return truth.slice(at)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** What JSON calls white space. */
function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}
