/** The store may be busy for a moment: what failed is tried again. What was stored all the same is told apart by its key. */
import type { Setting } from './setting.ts'

/** @throws what the last attempt throws. */
export async function patiently<Result>(
  attempt: () => Promise<Result>,
  { clock, limits, counters, onError }: Setting,
): Promise<Result> {
  for (const rest of limits.retryMs) {
    try {
      return await attempt()
    } catch (error) {
      counters.storeFailures++
      onError(error)
      await new Promise<void>((resolve) => void clock.after(rest, resolve))
    }
  }
  return attempt()
}
