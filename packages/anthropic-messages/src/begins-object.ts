const FIRST = /[^ \t\r\n]/

/**
 * Whether the arguments of a call, as far as there are any, are those of an object: clients read no others in pieces. False before the
 * first character that is no white space.
 */
export function beginsObject(pieces: readonly string[]): boolean {
  for (const piece of pieces) {
    const first = FIRST.exec(piece)
    if (first) return first[0] === '{'
  }
  return false
}
