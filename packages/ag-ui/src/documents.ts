/** The state and the activities as patches leave them: what a client that saw every patch has, for the commit that says it whole. */
import {
  type Activity,
  type Commit,
  type Json,
  type JsonPatch,
  type PatchedDocument,
  patchedDocument,
} from '@factwire/core'

export interface Documents {
  setState(snapshot: Json): void
  /** False when it does not apply: a client then ignores all of it. */
  patchState(patch: readonly JsonPatch[]): boolean
  /** With `replace: false` one that is there stays as it is. */
  setActivity(activity: Activity): void
  patchActivity(messageId: string, activityType: string, patch: readonly JsonPatch[]): boolean
  /** What patches have changed since it was last said. */
  changed(): Pick<Commit, 'snapshot' | 'activities'>
}

interface Patched {
  readonly document: PatchedDocument
  type: string
  dirty: boolean
}

export function createDocuments(): Documents {
  /** Absent while nobody has said what the patches start from. */
  let state: Patched | undefined
  const activities = new Map<string, Patched>()

  const patched = (content: Json, type: string): Patched => ({ document: patchedDocument(content), type, dirty: false })

  return {
    setState(snapshot) {
      state = patched(snapshot, '')
    },
    patchState(patch) {
      if (!state) return true
      if (!state.document.apply(patch)) return false
      state.dirty = true
      return true
    },
    setActivity({ message_id, activity_type, content, replace = true }) {
      if (replace || !activities.has(message_id)) activities.set(message_id, patched(content, activity_type))
    },
    patchActivity(messageId, activityType, patch) {
      const activity = activities.get(messageId)
      if (!activity?.document.apply(patch)) return false
      activity.type = activityType
      activity.dirty = true
      return true
    },
    changed() {
      const snapshot = state?.dirty ? state.document.value() : undefined
      if (state) state.dirty = false
      const changed: Activity[] = []
      for (const [message_id, activity] of activities) {
        if (!activity.dirty) continue
        activity.dirty = false
        changed.push({ message_id, activity_type: activity.type, content: activity.document.value() })
      }
      return {
        ...(snapshot === undefined ? {} : { snapshot }),
        ...(changed.length === 0 ? {} : { activities: changed }),
      }
    },
  }
}
