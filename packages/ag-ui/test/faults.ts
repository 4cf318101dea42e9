/** Small deliberate faults that only a transcoder of this wire can have. */
import { type Fault, tampered } from '@factwire/conformance'
import { messageIdOf } from '../src/history.ts'
import type { AgUiEvent } from '../src/wire.ts'

/** A fault in what is written; the kit hands over frames of this wire. */
const written = (name: string, law: string, tamper: (events: readonly AgUiEvent[]) => readonly AgUiEvent[]): Fault => ({
  name,
  law,
  sabotage: (subject) => tampered(subject, () => ({ frames: (frames) => tamper(frames as readonly AgUiEvent[]) })),
})

export const faults: readonly Fault[] = [
  written('a snapshot leaves out what came last', 'truth wins', (events) =>
    events.map((event) =>
      event.type === 'MESSAGES_SNAPSHOT' ? { ...event, messages: event.messages.slice(0, -1) } : event,
    ),
  ),
  written('a call does not say which message made it', 'shows the truth', (events) =>
    events.map((event) => {
      if (event.type !== 'TOOL_CALL_START') return event
      const { parentMessageId: _, ...rest } = event
      return rest
    }),
  ),
  written('a call that was given up is left for the client to run', 'well formed', (events) =>
    events.filter((event) => event.type !== 'TOOL_CALL_RESULT' || !event.messageId.endsWith('-cancelled')),
  ),
  written('a result does not say that it is an error', 'shows the truth', (events) =>
    events.map((event) => {
      if (event.type !== 'TOOL_CALL_RESULT') return event
      const { metadata: _, ...rest } = event
      return rest
    }),
  ),
  written('a thought has the id of its message', 'shows the truth', (events) =>
    events.map((event) =>
      event.type.startsWith('REASONING') && 'messageId' in event && event.messageId !== undefined
        ? { ...event, messageId: messageIdOf(event.messageId) }
        : event,
    ),
  ),
  written('an interrupt is told as the end', 'shows the truth', (events) =>
    events.map((event) => {
      if (event.type !== 'RUN_FINISHED' || event.outcome?.type !== 'interrupt') return event
      const { outcome: _, ...rest } = event
      return rest
    }),
  ),
]
