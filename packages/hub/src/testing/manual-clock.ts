/** A clock that stands still until a test moves it. */
import type { Clock } from '../clock.ts'

export interface ManualClock extends Clock {
  /** Runs what was put off to the end of the turn, also what that puts off. */
  turn(): void
  /** Moves on, and runs what is due, in its order; a turn ends with each. */
  advance(milliseconds: number): void
}

interface Timer {
  readonly at: number
  readonly task: () => void
}

export function manualClock(start = 0): ManualClock {
  let now = start
  let timers: Timer[] = []
  let due: (() => void)[] = []

  function turn(): void {
    while (due.length > 0) {
      const tasks = due
      due = []
      for (const task of tasks) task()
    }
  }

  return {
    now: () => now,
    after(milliseconds, task) {
      const timer = { at: now + milliseconds, task }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    soon: (task) => void due.push(task),
    turn,
    advance(milliseconds) {
      const end = now + milliseconds
      turn()
      while (true) {
        const [next] = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
        if (!next) break
        timers = timers.filter((timer) => timer !== next)
        now = Math.max(now, next.at)
        next.task()
        turn()
      }
      now = end
    },
  }
}
