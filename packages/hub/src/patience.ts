/** The store may be busy for a moment, or for good: what failed is tried again, and waits have an end. What was stored all the same is told apart by its key. */
import type { Clock } from './clock.ts'
import type { Setting } from './setting.ts'

/** @throws what the last attempt throws. */
export async function patiently<Result>(
  attempt: () => Promise<Result>,
  { clock, limits, onError }: Setting,
): Promise<Result> {
  for (const rest of limits.retryMs) {
    try {
      return await attempt()
    } catch (error) {
      onError(error)
      await new Promise<void>((resolve) => void clock.after(rest, resolve))
    }
  }
  return attempt()
}

/** Waits until the promise settles, and not for longer than so. @throws what it rejects with. */
export function atMost(clock: Clock, milliseconds: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const callOff = clock.after(milliseconds, resolve)
    promise.then(() => resolve(), reject).finally(() => callOff())
  })
}

/** What the promise gives, if it does so in time. @throws what it rejects with, or that nothing came. */
export function inTime<Value>(
  clock: Clock,
  milliseconds: number,
  promise: Promise<Value>,
  whose: string,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const callOff = clock.after(milliseconds, () =>
      reject(new Error(`${whose} has not answered within ${milliseconds} ms`)),
    )
    promise.then(resolve, reject).finally(() => callOff())
  })
}
