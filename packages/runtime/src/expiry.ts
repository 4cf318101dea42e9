/** When a run that waits is to go on although nobody has answered: nothing in this package wakes it, because it may wait in no process. */
import type { Pending } from '@factwire/core'

/** The first moment, in Unix milliseconds, at which something that is waited for has run out; undefined where it never does. */
export function expiresAt(pending: readonly Pending[]): number | undefined {
  const ends = pending.flatMap(({ expires_at }) => (expires_at === undefined ? [] : [Date.parse(expires_at)]))
  // What is no date never comes.
  const first = Math.min(...ends.filter((end) => !Number.isNaN(end)))
  return first === Infinity ? undefined : first
}
