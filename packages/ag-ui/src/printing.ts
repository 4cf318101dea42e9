/** What a running tool prints, which stands on this wire as an activity: read back as the fragments that it is. */
import type { ActivityDeltaEvent, ActivitySnapshotEvent } from './wire.ts'

/** The activity type, and how its content looks. */
const TOOL_OUTPUT = 'tool-output'

export interface Printed {
  readonly callId: string
  readonly text: string
}

export interface Printing {
  /** Undefined for any other activity. */
  read(event: ActivitySnapshotEvent | ActivityDeltaEvent): Printed | undefined
}

export function createPrinting(): Printing {
  const callIds = new Map<string, string>()

  return {
    read(event) {
      if (event.activityType !== TOOL_OUTPUT) return undefined
      if (event.type === 'ACTIVITY_DELTA') {
        const callId = callIds.get(event.messageId)
        return callId === undefined ? undefined : { callId, text: event.patch.map(addedText).join('') }
      }
      const { toolCallId, chunks } = event.content as { readonly [key: string]: unknown }
      if (typeof toolCallId !== 'string' || !Array.isArray(chunks)) return undefined
      callIds.set(event.messageId, toolCallId)
      return { callId: toolCallId, text: chunks.filter((chunk) => typeof chunk === 'string').join('') }
    },
  }
}

function addedText(operation: ActivityDeltaEvent['patch'][number]): string {
  if (operation.op !== 'add' || operation.path !== '/chunks/-') return ''
  return typeof operation.value === 'string' ? operation.value : ''
}
