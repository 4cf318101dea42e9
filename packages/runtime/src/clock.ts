/** The port of time. Whoever tests gives one that stands still. */

export interface Clock {
  /** Unix time, milliseconds. */
  now(): number
  /** Runs the task later; gives how to call it off. */
  after(milliseconds: number, task: () => void): () => void
}

/** What is longer a timer takes for no time at all. */
const LONGEST = 2 ** 31 - 1

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, task) {
    const timer = setTimeout(task, Math.min(milliseconds, LONGEST))
    return () => clearTimeout(timer)
  },
}
