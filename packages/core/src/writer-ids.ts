/** The ids that a writer gives: calls unique within their thread, messages numbered within their run. */

export interface CallIds {
  /** Whether the thread has, or had, a call that was given this id. */
  has(id: string): boolean
  /** The id itself, or where it was given before `id-2`, `id-3`, … */
  unique(id: string): string
}

export function callIds(taken: Iterable<string>): CallIds {
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

export function messageIds(runId: string): MessageIds {
  const prefix = `${runId}-assistant-`
  let step = 0
  let attempt = 0
  return {
    next: () => (attempt === 0 ? `${prefix}${step}` : `${prefix}${step}-retry-${attempt}`),
    retry() {
      attempt++
    },
    passed(id) {
      if (!id.startsWith(prefix)) return
      const passed = Number.parseInt(id.slice(prefix.length), 10)
      if (!Number.isSafeInteger(passed) || passed < step) return
      step = passed + 1
      attempt = 0
    },
  }
}
