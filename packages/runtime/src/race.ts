/** Waiting for what may never come: whatever a port does, an aborted signal ends the wait. */
import type { Clock } from './clock.ts'

/** The promise, or the reason of the signal as soon as it aborts. What comes of the promise then is dropped. */
export function within<Value>(signal: AbortSignal, promise: PromiseLike<Value> | Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}

/** False when the signal aborted first. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false)
    const stop = (): void => {
      callOff()
      resolve(false)
    }
    const callOff = clock.after(milliseconds, () => {
      signal.removeEventListener('abort', stop)
      resolve(true)
    })
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** A controller that aborts with the signal too; `release` when nobody needs it any more. */
export function linked(signal: AbortSignal): { readonly controller: AbortController; release(): void } {
  const controller = new AbortController()
  const stop = (): void => controller.abort(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return { controller, release: () => signal.removeEventListener('abort', stop) }
}
