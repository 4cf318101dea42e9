/** `@ag-ui/encoder`, as its documentation serves a run. */
import { type BaseEvent, EventType, type TextMessageContentEvent } from '@ag-ui/client'
import { EventEncoder } from '@ag-ui/encoder'
import type { Contender } from '../contender.ts'
import { withoutIds } from '../shown.ts'
import type { Writable } from '../wires.ts'
import type { Workload } from '../workload.ts'
import { agUiEvents } from './ag-ui-events.ts'

export function agUiEncoder(wire: Writable, workload: Workload): Contender {
  const eventsAt = agUiEvents<BaseEvent>(wire, workload, textEvent)
  const count = workload.events.length
  return {
    name: '@ag-ui/encoder encodeSSE',
    run(take) {
      const encoder = new EventEncoder()
      for (let at = 0; at < count; at++) {
        for (const event of eventsAt(at)) take(Buffer.from(encoder.encodeSSE(event)))
      }
    },
    shows: withoutIds,
  }
}

function textEvent(messageId: string, delta: string): TextMessageContentEvent {
  return { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta }
}
