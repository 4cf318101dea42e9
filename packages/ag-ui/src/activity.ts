/** Activities, which are shown and never part of the conversation: an agent's own, and what a tool prints. */
import { type Activity, type CallItem, isJsonObject } from '@factwire/core'
import type { ActivitySnapshotEvent, AgUiEvent } from './wire.ts'

export function activitySnapshot({ message_id, activity_type, content, replace }: Activity): ActivitySnapshotEvent {
  return {
    type: 'ACTIVITY_SNAPSHOT',
    messageId: message_id,
    activityType: activity_type,
    // It is an object on this wire.
    content: isJsonObject(content) ? content : { value: content },
    ...(replace === undefined ? {} : { replace }),
  }
}

/** Shows what the tools of a segment print: the first piece of a call as a snapshot, what follows as additions to it. */
export function createPrinting(): (call: CallItem, text: string) => AgUiEvent {
  const begun = new Set<string>()
  const activityType = 'tool-output'
  return ({ wireId }, text) => {
    const messageId = `${wireId}-output`
    if (begun.has(messageId)) {
      return { type: 'ACTIVITY_DELTA', messageId, activityType, patch: [{ op: 'add', path: '/chunks/-', value: text }] }
    }
    begun.add(messageId)
    return { type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content: { toolCallId: wireId, chunks: [text] } }
  }
}
