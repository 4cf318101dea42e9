/** Text of unknown origin as one line that cannot steer the terminal it is shown on. */

// Controls (C0, DEL, C1), line and paragraph separators, lone surrogates, and what reverses the direction of writing.
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu
const SHORT = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

export function visible(text: string): string {
  return text.replace(UNSAFE, (unit) => SHORT.get(unit) ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** At most `width` units, the last of them `…` where something was left out. Keeps surrogate pairs whole. */
export function shorten(text: string, width: number): string {
  if (text.length <= width) return text
  const end = Math.max(0, width - 1)
  const splits = /[\ud800-\udbff]/.test(text.charAt(end - 1))
  return `${text.slice(0, splits ? end - 1 : end)}…`
}
