/** The events of state and activities, as patches that are numbered and snapshots that are committed. */
import type { Holding, Part } from './holding.ts'
import { createDocuments } from './documents.ts'
import type { Items } from './draft.ts'
import type { Lineup } from './lineup.ts'
import { createPrinting } from './printing.ts'
import type { ActivityDeltaEvent, ActivitySnapshotEvent, StateDeltaEvent, StateSnapshotEvent } from './wire.ts'
import type { RunAgentInput } from './wire-run.ts'

export type ValueEvent = StateSnapshotEvent | StateDeltaEvent | ActivitySnapshotEvent | ActivityDeltaEvent

export interface Values {
  /** Gives a reason for an event that says nothing. */
  read(event: ValueEvent, items: Items): string | undefined
  start(state: RunAgentInput['state']): void
  /** What patches have changed since it was last committed. */
  changed(): Part
}

const UNFIT = 'the patch does not apply'

export function createValues(lineup: Lineup, holding: Holding): Values {
  const documents = createDocuments()
  const printing = createPrinting()
  let stateRevision = 0
  let activityRevisions = new Map<string, number>()

  function activitySnapshot(event: ActivitySnapshotEvent, items: Items): string | undefined {
    const { messageId: message_id, activityType: activity_type, content, replace } = event
    const activity = { message_id, activity_type, content, ...(replace === undefined ? {} : { replace }) }
    documents.setActivity(activity)
    holding.say({ activities: [activity] }, items)
    return undefined
  }

  function activityDelta({ messageId, activityType, patch }: ActivityDeltaEvent, items: Items): string | undefined {
    if (!documents.patchActivity(messageId, activityType, patch)) return UNFIT
    const revision = activityRevisions.get(messageId) ?? 0
    activityRevisions.set(messageId, revision + 1)
    items.push({ type: 'activity_delta', message_id: messageId, activity_type: activityType, patch, revision })
    return undefined
  }

  function activity(event: ActivitySnapshotEvent | ActivityDeltaEvent, items: Items): string | undefined {
    const printed = printing.read(event)
    if (!printed) {
      return event.type === 'ACTIVITY_SNAPSHOT' ? activitySnapshot(event, items) : activityDelta(event, items)
    }
    const { callId: id, text } = printed
    lineup.runs(id, items)
    items.push({ type: 'tool_output_delta', id, name: lineup.nameOf(id), delta: text })
    return undefined
  }

  return {
    read(event, items) {
      switch (event.type) {
        case 'STATE_SNAPSHOT':
          documents.setState(event.snapshot)
          holding.say({ snapshot: event.snapshot }, items)
          return undefined
        case 'STATE_DELTA':
          if (!documents.patchState(event.delta)) return UNFIT
          items.push({ type: 'state_delta', delta: event.delta, revision: stateRevision++ })
          return undefined
        case 'ACTIVITY_SNAPSHOT':
        case 'ACTIVITY_DELTA':
          return activity(event, items)
      }
    },
    start(state) {
      stateRevision = 0
      activityRevisions = new Map()
      if (state !== undefined) documents.setState(state)
    },
    changed: () => documents.changed(),
  }
}
