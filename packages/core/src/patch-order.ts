/** Which patches of the state and of activities may be shown: each in its turn, and none that the client was told already. */
import type { ActivityDelta, ActivitySnapshot, StateDelta, StateSnapshot } from './event.ts'
import type { Committed } from './protocol.ts'

export interface PatchOrder {
  /** Whether a patch is the next of its document; then it counts as shown. One without a number always is. */
  inSequence(patch: StateDelta | ActivityDelta): boolean
  /** A document was told whole. One that does not say how many patches it holds may hold any: no numbered one follows. */
  told(document: StateSnapshot | ActivitySnapshot): void
}

/** `joined`: what a client that joins was told. Where that says no number, the first patch seen is taken as the next. */
export function createPatchOrder(joined?: Committed): PatchOrder {
  const next = new Map<string, number>()
  if (joined?.revision !== undefined) next.set(STATE, joined.revision)
  for (const activity of joined?.activities ?? []) {
    if (activity.revision !== undefined) next.set(activityKey(activity), activity.revision)
  }

  return {
    inSequence(patch) {
      const { revision } = patch
      if (revision === undefined) return true
      const key = patch.type === 'state_delta' ? STATE : activityKey(patch)
      const expected = next.get(key) ?? (joined ? revision : 0)
      if (revision !== expected) return false
      next.set(key, expected + 1)
      return true
    },

    told(document) {
      next.set(document.type === 'state_snapshot' ? STATE : activityKey(document), document.revision ?? Infinity)
    },
  }
}

/** No activity has this key. */
const STATE = ''

const activityKey = ({
  message_id,
  activity_type,
}: {
  readonly message_id: string
  readonly activity_type: string
}): string => JSON.stringify([message_id, activity_type])
