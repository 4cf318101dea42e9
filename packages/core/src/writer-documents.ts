/**
 * The state and the activities of a run as a writer keeps them: patches in, numbered deltas out, and for each commit what was patched
 * since the last one, whole.
 */
import type { ActivityDelta, StateDelta } from './event.ts'
import type { Json, JsonPatch } from './json.ts'
import { type PatchedDocument, patchedDocument } from './json-patch.ts'
import type { Activity, Commit } from './thread.ts'

/** What a commit says of them. */
export type Documents = Pick<Commit, 'snapshot' | 'revision' | 'activities'>

export interface WriterDocuments {
  /** @throws TypeError when the patch does not apply. */
  patchState(patch: readonly JsonPatch[]): StateDelta
  /** @throws TypeError when there is no such activity, or the patch does not apply. */
  patchActivity(id: string, patch: readonly JsonPatch[]): ActivityDelta
  /** What a commit has to say, with what somebody says in it; that is how they are from now on. */
  tell(said: Documents): Documents
  /** The next patches are of another stream: they are counted from 0 again. */
  nextSegment(): void
}

interface WrittenActivity {
  readonly type: string
  readonly document: PatchedDocument
  revision: number
  patched: boolean
}

export function writerDocuments(initial: Json = {}): WriterDocuments {
  let state = patchedDocument(initial)
  let revision = 0
  let patched = false
  const activities = new Map<string, WrittenActivity>()

  function change(document: PatchedDocument, patch: readonly JsonPatch[], what: string): void {
    if (document.apply(patch)) return
    throw new TypeError(`the patch does not apply to ${what}: look at what it is before you change it`)
  }

  function take(activity: Activity): Activity {
    const { message_id, activity_type: type, content, replace = true } = activity
    const known = activities.get(message_id)
    if (known && !replace) return activity
    // Without the number it might hold any patch, and none would be shown after it.
    const held = activity.revision ?? known?.revision ?? 0
    activities.set(message_id, { type, document: patchedDocument(content), revision: held, patched: false })
    return { ...activity, revision: held }
  }

  function tellState({ snapshot, revision: said }: Documents): Documents {
    if (snapshot !== undefined) state = patchedDocument(snapshot)
    else if (!patched) return {}
    patched = false
    return { snapshot: snapshot ?? state.value(), revision: said ?? revision }
  }

  function tellActivities(said: readonly Activity[]): readonly Activity[] {
    const taken = said.map(take)
    const others = [...activities].flatMap(([message_id, activity]): Activity[] => {
      if (!activity.patched) return []
      activity.patched = false
      const { type: activity_type, document, revision: held } = activity
      return [{ message_id, activity_type, content: document.value(), revision: held }]
    })
    return [...taken, ...others]
  }

  return {
    patchState(patch) {
      change(state, patch, 'the state')
      patched = true
      return { type: 'state_delta', delta: patch, revision: revision++ }
    },
    patchActivity(id, patch) {
      const activity = activities.get(id)
      if (!activity) throw new TypeError(`there is no activity "${id}": begin it with activity(id, type, content)`)
      change(activity.document, patch, `the activity "${id}"`)
      activity.patched = true
      return {
        type: 'activity_delta',
        message_id: id,
        activity_type: activity.type,
        patch,
        revision: activity.revision++,
      }
    },
    tell(said) {
      const told = tellActivities(said.activities ?? [])
      return { ...tellState(said), ...(told.length === 0 ? {} : { activities: told }) }
    },
    nextSegment() {
      revision = 0
      for (const activity of activities.values()) activity.revision = 0
    },
  }
}
