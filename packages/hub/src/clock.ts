/** The port of time. Whoever tests gives one that stands still. */

export interface Clock {
  /** Unix time, milliseconds. */
  now(): number
  /** Runs the task later; gives how to call it off. */
  after(milliseconds: number, task: () => void): () => void
  /** Runs the task when this turn of the event loop is over. */
  soon(task: () => void): void
}

// A timer of 0 ms costs a whole one, where there is something better.
const immediate = (globalThis as { setImmediate?: (task: () => void) => void }).setImmediate

/** What is longer a timer takes for no time at all. */
const LONGEST = 2 ** 31 - 1

/** The time of the machine. No timer of it keeps a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, task) {
    const timer = setTimeout(task, Math.min(milliseconds, LONGEST))
    ;(timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer)
  },
  soon: immediate ? (task) => immediate(task) : (task) => void setTimeout(task, 0),
}
