/** `@tanstack/ai`, as its documentation serves a run: AG-UI events to the body of a response. */
import { EventType, type StreamChunk, toServerSentEventsStream } from '@tanstack/ai'
import type { Contender } from '../contender.ts'
import { drain } from '../drain.ts'
import { withoutIds } from '../shown.ts'
import type { Writable } from '../wires.ts'
import type { Workload } from '../workload.ts'
import { agUiEvents } from './ag-ui-events.ts'

export function tanstackEvents(wire: Writable, workload: Workload): Contender {
  const eventsAt = agUiEvents<StreamChunk>(wire, workload, textEvent)
  const count = workload.events.length
  async function* chunks(): AsyncGenerator<StreamChunk> {
    for (let at = 0; at < count; at++) {
      for (const event of eventsAt(at)) yield event
    }
  }
  return {
    name: '@tanstack/ai toServerSentEventsStream',
    run: (take) => drain(toServerSentEventsStream(chunks()), take),
    shows: withoutIds,
  }
}

function textEvent(messageId: string, delta: string): StreamChunk {
  return { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta }
}
