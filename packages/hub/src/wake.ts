/** One task for many causes: however often it is asked for, it runs once, when the tick is over. */
import type { Clock } from './clock.ts'

export interface Wake {
  ask(): void
}

/** With a `pause` the task runs no more often than that; the first time after a rest it runs at once. */
export function wake(clock: Clock, pause: number, task: () => void): Wake {
  let asked = false
  let last = Number.NEGATIVE_INFINITY

  function run(): void {
    asked = false
    last = clock.now()
    task()
  }

  return {
    ask() {
      if (asked) return
      asked = true
      const rest = pause <= 0 ? 0 : last + pause - clock.now()
      if (rest > 0) clock.after(rest, run)
      else clock.soon(run)
    },
  }
}
