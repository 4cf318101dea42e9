/** Whether two readers gave a transcoder the same options, so that they share its bytes. */

/** Plain objects and lists are the same by what is in them; anything else, such as a function or a map, only as itself. */
export function sameOptions(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b)) return sameEntries(a, b)
  return isPlain(a) && isPlain(b) && sameEntries(a, b)
}

function sameEntries(a: object, b: object): boolean {
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))]
  return (
    left.length === right.size && left.every(([key, value]) => right.has(key) && sameOptions(value, right.get(key)))
  )
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const kind: unknown = Object.getPrototypeOf(value)
  return kind === Object.prototype || kind === null
}
