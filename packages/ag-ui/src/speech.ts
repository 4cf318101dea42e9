/** The events that messages are made of: text, reasoning, calls and their results. */
import type { Items } from './draft.ts'
import type { Lineup } from './lineup.ts'
import { resultBlock } from './stored.ts'
import type {
  ReasoningEncryptedValueEvent,
  ReasoningEndEvent,
  ReasoningMessageContentEvent,
  ReasoningMessageEndEvent,
  ReasoningMessageStartEvent,
  ReasoningStartEvent,
  TextMessageContentEvent,
  TextMessageEndEvent,
  TextMessageStartEvent,
  TextRole,
  ToolCallArgsEvent,
  ToolCallEndEvent,
  ToolCallResultEvent,
  ToolCallStartEvent,
} from './wire.ts'

type ReasoningBracket = ReasoningStartEvent | ReasoningEndEvent | ReasoningMessageStartEvent | ReasoningMessageEndEvent

export type SpeechEvent =
  | TextMessageStartEvent
  | TextMessageContentEvent
  | TextMessageEndEvent
  | ToolCallStartEvent
  | ToolCallArgsEvent
  | ToolCallEndEvent
  | ToolCallResultEvent
  | ReasoningMessageContentEvent
  | ReasoningBracket
  | ReasoningEncryptedValueEvent

/** Gives a reason for an event that says nothing. */
export function speak(event: SpeechEvent, lineup: Lineup, items: Items): string | undefined {
  switch (event.type) {
    case 'TEXT_MESSAGE_CONTENT': {
      const { messageId, delta, subagentRunId } = event
      const draft = lineup.find(messageId) ?? lineup.text(messageId, 'assistant', subagentRunId, items)
      items.push(...draft.addText(delta))
      return undefined
    }
    case 'TOOL_CALL_ARGS': {
      const draft = lineup.withCall(event.toolCallId)
      const call = draft?.calls.get(event.toolCallId)
      if (!draft || !call) return 'there is no such call'
      if (call.ended) return 'the arguments are complete'
      items.push(...draft.addArguments(call, event.delta))
      return undefined
    }
    case 'REASONING_MESSAGE_CONTENT': {
      const { messageId, delta, subagentRunId } = event
      const draft = lineup.withThought(messageId) ?? lineup.thought(messageId, subagentRunId, items)
      items.push(...draft.addThought(messageId, delta))
      return undefined
    }
    case 'TEXT_MESSAGE_START':
      lineup.release(items, event.messageId)
      lineup.text(event.messageId, roleOf(event.role), event.subagentRunId, items).textOpen = true
      return undefined
    case 'TEXT_MESSAGE_END': {
      const draft = lineup.find(event.messageId)
      if (!draft) return 'there is no such message'
      draft.textOpen = false
      lineup.ended(draft, items)
      return undefined
    }
    case 'TOOL_CALL_START': {
      const { toolCallId: id, toolCallName: name, parentMessageId: parent, subagentRunId: owner } = event
      lineup.release(items, parent)
      return lineup.startCall({ id, name, parent, owner }, items) ? undefined : 'the call is there already'
    }
    case 'TOOL_CALL_END': {
      const draft = lineup.withCall(event.toolCallId)
      const call = draft?.calls.get(event.toolCallId)
      if (!draft || !call) return 'there is no such call'
      call.ended = true
      lineup.ended(draft, items)
      return undefined
    }
    case 'TOOL_CALL_RESULT': {
      const block = resultBlock(event.toolCallId, event.content, event.metadata)
      const storedId = event.metadata?.factwire?.message_id
      const taken = lineup.result({ messageId: event.messageId, storedId, block }, items)
      return taken ? undefined : 'the call has its result already'
    }
    case 'REASONING_START':
    case 'REASONING_MESSAGE_START':
      lineup.release(items)
      lineup.thought(event.messageId, event.subagentRunId, items).thoughts.start(event.messageId)
      sign(event, lineup)
      return undefined
    case 'REASONING_MESSAGE_END':
    case 'REASONING_END':
      sign(event, lineup)
      lineup.withThought(event.messageId)?.thoughts.end(event.messageId)
      return undefined
    case 'REASONING_ENCRYPTED_VALUE':
      return seal(event, lineup) ? undefined : 'there is nothing that it belongs to'
  }
}

function roleOf(role: TextRole = 'assistant'): 'assistant' | 'system' | 'user' {
  return role === 'developer' ? 'system' : role
}

function sign({ messageId, metadata }: ReasoningBracket, lineup: Lineup): void {
  const signature = metadata?.factwire?.signature
  if (signature !== undefined) lineup.withThought(messageId)?.thoughts.seal(messageId, { signature })
}

/** Of a call there is no place for it. */
function seal({ subtype, entityId, encryptedValue }: ReasoningEncryptedValueEvent, lineup: Lineup): boolean {
  if (subtype === 'tool-call') return false
  const draft = lineup.withThought(entityId) ?? lineup.find(entityId)
  if (!draft) return false
  if (!draft.thoughts.has(entityId)) {
    draft.thoughts.start(entityId)
    draft.thoughts.end(entityId)
  }
  return draft.thoughts.seal(entityId, { encrypted: encryptedValue })
}
