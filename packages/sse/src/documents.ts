/**
 * The state and the activities of a run, as their snapshots and patches make them. A patch that does not apply changes
 * nothing.
 */
import { type Json, type JsonPatch, type PatchedDocument, patchedDocument } from '@factwire/core'
import type { ViewActivity } from './view.ts'
import type { ActivityDeltaEvent, ActivitySnapshotEvent } from './wire.ts'

export interface Documents {
  setState(snapshot: Json): void
  patchState(patch: readonly JsonPatch[]): void
  setActivity(event: ActivitySnapshotEvent): void
  patchActivity(event: ActivityDeltaEvent): void
  state(): Json | undefined
  activities(): readonly ViewActivity[]
}

export function createDocuments(): Documents {
  let state: PatchedDocument | undefined
  const activities = new Map<
    string,
    Pick<ViewActivity, 'message_id' | 'activity_type'> & { document: PatchedDocument }
  >()

  return {
    setState(snapshot) {
      state = patchedDocument(snapshot)
    },
    patchState(patch) {
      // Without a snapshot it begins as an empty object.
      const document = state ?? patchedDocument({})
      if (document.apply(patch)) state = document
    },
    setActivity({ message_id, activity_type, content, replace }) {
      const key = keyOf(message_id, activity_type)
      if (replace === false && activities.has(key)) return
      activities.set(key, { message_id, activity_type, document: patchedDocument(content) })
    },
    patchActivity({ message_id, activity_type, patch }) {
      activities.get(keyOf(message_id, activity_type))?.document.apply(patch)
    },
    state: () => state?.value(),
    activities: () =>
      [...activities.values()].map(({ document, ...activity }) => ({ ...activity, content: document.value() })),
  }
}

function keyOf(messageId: string, type: string): string {
  return JSON.stringify([messageId, type])
}
