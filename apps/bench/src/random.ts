/** Numbers that look random and are the same everywhere. */

/** Gives an integer from 0 up to, and without, `below`. */
export type Random = (below: number) => number

/** A linear congruential generator: good enough to mix. Its low bits are not, so they are dropped. */
export function random(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(((state >>> 8) / 2 ** 24) * below)
  }
}

/** A copy in another order. */
export function shuffled<Item>(items: readonly Item[], next: Random): Item[] {
  const rest = [...items]
  const order: Item[] = []
  while (rest.length > 0) order.push(...rest.splice(next(rest.length), 1))
  return order
}
