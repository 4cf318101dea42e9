/** One promise of a port, and how it is tried. */

export interface PortCase<Port> {
  /** A sentence in the present tense. */
  readonly name: string
  /** Settles when the promise is kept. */
  run(port: Port): Promise<void>
}

/** What a port has broken. */
export class PortBroken extends Error {
  override readonly name = 'PortBroken'
}

/** Whether two plain values are the same JSON, in any order of their keys. */
export function demandEqual(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [sorted(actual), sorted(expected)]
  if (left !== right) throw new PortBroken(`${what}: expected ${right}, got ${left}`)
}

function sorted(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
  return text ?? 'undefined'
}
