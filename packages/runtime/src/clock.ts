/** The port of time. Whoever tests gives one that stands still. */

export interface Clock {
  /** Unix time, milliseconds. */
  now(): number
  /** Runs the task later; gives how to call it off. */
  after(milliseconds: number, task: () => void): () => void
}

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, task) {
    const timer = setTimeout(task, milliseconds)
    return () => clearTimeout(timer)
  },
}
