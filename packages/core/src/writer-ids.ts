/** The ids that are given here: unique within a thread, or numbered within a run. */

export interface UniqueIds {
  /** Whether it is taken, or was given here. */
  has(id: string): boolean
  /** The id itself, or where it was given before `id-2`, `id-3`, … */
  unique(id: string): string
}

export function uniqueIds(taken: Iterable<string>): UniqueIds {
  /** The last number that each id got, so that a provider that always says `call_0` costs no search. */
  const numbers = new Map<string, number>()
  for (const id of taken) numbers.set(id, 1)
  return {
    has: (id) => numbers.has(id),
    unique(id) {
      let number = numbers.get(id) ?? 0
      let unique = id
      while (numbers.has(unique)) unique = `${id}-${++number}`
      numbers.set(id, Math.max(number, 1))
      if (unique !== id) numbers.set(unique, 1)
      return unique
    },
  }
}

export interface MessageIds {
  /** The id of the next message. */
  next(): string
  /** The next message is another attempt at the same step. */
  retry(): void
  /** A message with this id exists: if it is one of the run's own, the numbers go on behind it. */
  passed(id: string): void
}

/** A number that no run reaches: behind it is room, and all of it can be counted exactly. */
const FAR = 2 ** 52

export function messageIds(runId: string): MessageIds {
  const prefix = `${runId}-assistant-`
  /** Ids so far away that the numbers do not go on behind them. */
  const far = new Set<string>()
  let step = 0
  let attempt = 0

  function next(): string {
    const id = attempt === 0 ? `${prefix}${step}` : `${prefix}${step}-retry-${attempt}`
    if (!far.has(id)) return id
    attempt++
    return next()
  }

  return {
    next,
    retry() {
      attempt++
    },
    passed(id) {
      if (!id.startsWith(prefix)) return
      const passed = Number.parseInt(id.slice(prefix.length), 10)
      if (Number.isNaN(passed) || passed < step) return
      if (passed >= FAR) far.add(id)
      else step = passed + 1
      attempt = 0
    },
  }
}
