/** Waiting for what may never come: whatever a port does, a stop or a time that is up ends the wait. */
import type { Clock } from './clock.ts'
import type { Stop } from './stop.ts'

/** The promise, or the reason of the stop as soon as it comes. What comes of the promise then is dropped. */
export function within<Value>(stop: Stop, promise: PromiseLike<Value> | Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    const deaf = stop.hear(() => reject(stop.reason as Error))
    Promise.resolve(promise).then(resolve, reject).finally(deaf)
  })
}

/** False when the stop came first. */
export function pause(clock: Clock, milliseconds: number, stop: Stop): Promise<boolean> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve(false)
    const callOff = clock.after(milliseconds, () => {
      deaf()
      resolve(true)
    })
    const deaf = stop.hear(() => {
      callOff()
      resolve(false)
    })
  })
}

/** What the promise gives, if it does so in time. Otherwise, or where it rejects, nothing is known of it. */
export function atMost<Value>(
  clock: Clock,
  milliseconds: number,
  promise: PromiseLike<Value>,
): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const callOff = clock.after(milliseconds, () => resolve(undefined))
    const settle = (value?: Value): void => {
      callOff()
      resolve(value)
    }
    promise.then(settle, () => settle())
  })
}

/** A controller that aborts with the stop too; `release` when nobody needs it any more. */
export function linked(stop: Stop): { readonly controller: AbortController; release(): void } {
  const controller = new AbortController()
  return { controller, release: stop.hear(() => controller.abort(stop.reason)) }
}
