/**
 * What a producer has said and nobody was shown yet: commits on their way to the store, and all that came after them.
 *
 * Numbers are given on entry. A commit leaves when the store has it, a delta when its number is reserved and no commit stands
 * before it.
 */
import type { Commit, Delta, Fact, Standing } from '@factwire/core'
import { sizeOf } from './delta-size.ts'
import { leftBy, stepOpenedBy } from './open-step.ts'
import type { NumberedDelta } from './bus.ts'
import type { Opened, Step } from './store.ts'

export interface QueuedCommit {
  readonly type: 'commit'
  readonly step: Step
  readonly key: string | undefined
  /** Numbers below are given to it and to what came before. */
  readonly next: number
  stored(revision: number): void
  refused(error: unknown): void
}

export type Queued = QueuedCommit | ({ readonly type: 'delta' } & NumberedDelta)

export interface Queue {
  /** The number of the next event. */
  readonly next: number
  /** Units of text that wait. */
  readonly units: number
  readonly first: Queued | undefined
  shift(): void
  /** False when it is not taken: too much waits already, so it is not shown before its fact. */
  delta(delta: Delta): boolean
  commit(
    commit: Commit,
    facts: readonly Fact[],
    after: Standing,
    settle: Pick<QueuedCommit, 'key' | 'stored' | 'refused'>,
  ): void
  /** Gives up what waits. */
  drop(): readonly Queued[]
}

export function queue(first: number, limit: number): Queue {
  let next = first
  let units = 0
  let waiting: Queued[] = []
  let at = 0
  /** The messages that are written, each where it began. */
  let begun: readonly Opened[] = []
  /** A fragment was not taken, so what follows it would have a hole before it. */
  let muted = false

  function begins(seq: number, delta: Delta): void {
    // Nearly every fragment is one more of the message that began last.
    if ('message_id' in delta && delta.message_id === begun.at(-1)?.message) return
    const opened = stepOpenedBy(seq, delta)
    if (opened && !begun.some(({ message }) => message === opened.message)) begun = [...begun, opened]
  }

  return {
    get next() {
      return next
    },
    get units() {
      return units
    },
    get first() {
      return waiting[at]
    },
    shift() {
      const gone = waiting[at++]
      if (gone?.type === 'delta') units -= sizeOf(gone.delta)
      if (at < waiting.length) return
      waiting = []
      at = 0
    },
    delta(delta) {
      const seq = next++
      begins(seq, delta)
      muted ||= units > limit
      if (muted) return false
      units += sizeOf(delta)
      waiting.push({ type: 'delta', seq, delta })
      return true
    },
    commit(commit, facts, after, settle) {
      const numbered = facts.map((fact) => ({ seq: next++, fact }))
      const [opened] = begun
      const step: Step = { commit, facts: numbered, after, ...(opened === undefined ? {} : { opened }) }
      waiting.push({ type: 'commit', step, next, ...settle })
      if (facts.length > 0) begun = leftBy(begun, commit)
      if (after.state?.type !== 'running' || commit.messages.some(({ role }) => role === 'assistant')) muted = false
    },
    drop() {
      const dropped = waiting.slice(at)
      waiting = []
      at = 0
      units = 0
      return dropped
    },
  }
}
