/**
 * Parsed JSON of unknown origin in, an AG-UI event out.
 *
 * It reads what peers of 0.0.52 to 1.0 send. Fields and members of unions that are not known here are dropped; whatever else is
 * wrong throws `invalid_value` with its place.
 */
import {
  anyJson,
  arrayOf,
  boolean,
  count,
  isObject,
  json,
  type JsonPatch,
  known,
  knownOf,
  lenient,
  number,
  jsonObject,
  object,
  ofProtocol,
  oneOf,
  type OnUnknown,
  optional,
  otherwise,
  type Read,
  record,
  refuse,
  string,
  variants,
} from '@factwire/core'
import { input } from './read-input.ts'
import { content, messages } from './read-message.ts'
import { metadata } from './read-metadata.ts'
import type { AgUiEvent, SubagentFinishedEvent, TextRole } from './wire.ts'
import type { Interrupt, Outcome, Usage } from './wire-run.ts'

const usage = lenient(
  arrayOf(
    record<Usage>({
      provider: lenient(string),
      model: lenient(string),
      inputTokens: lenient(count),
      outputTokens: lenient(count),
      totalTokens: lenient(count),
      reasoningTokens: lenient(count),
      cachedInputTokens: lenient(count),
      cacheWriteInputTokens: lenient(count),
    }),
  ),
)

const interrupt: Read<Interrupt> = record<Interrupt>({
  id: string,
  reason: string,
  message: optional(string),
  toolCallId: optional(string),
  responseSchema: lenient(jsonObject),
  expiresAt: optional(string),
  metadata: lenient(metadata),
  subagentRunId: optional(string),
})

const interrupts: Read<readonly Interrupt[]> = (value, path, onUnknown) => {
  const read = arrayOf(interrupt)(value, path, onUnknown)
  return read.length > 0 ? read : refuse(path, 'at least one interrupt', value)
}

// An outcome that is not known here must not pass for success, though the official client lets it.
const outcome: Read<Outcome> = variants<Outcome, 'type'>('type', {
  success: { pendingToolCallIds: optional(arrayOf(string)) },
  interrupt: { interrupts },
  cancelled: {},
})

type SubagentOutcome = NonNullable<SubagentFinishedEvent['outcome']>

const subagentOutcome = variants<SubagentOutcome, 'type'>('type', {
  success: {},
  suspended: { interruptIds: optional(arrayOf(string)) },
})

const valued = { path: string, value: json }
const moved = { path: string, from: string }

const patch = knownOf(
  known<JsonPatch, 'op'>('op', {
    add: valued,
    replace: valued,
    test: valued,
    remove: { path: string },
    move: moved,
    copy: moved,
  }),
)

const ofEvent = { timestamp: lenient(number), rawEvent: optional(anyJson), metadata: lenient(metadata) }
const owned = { ...ofEvent, subagentRunId: optional(string) }
const ofMessage = { messageId: string, ...owned }
const ofCall = { toolCallId: string, ...owned }
const role: Read<TextRole | undefined> = optional(oneOf('developer', 'system', 'assistant', 'user'))

const read = known<AgUiEvent, 'type'>('type', {
  RUN_STARTED: {
    threadId: string,
    runId: string,
    protocolVersion: lenient(string),
    parentRunId: optional(string),
    input: lenient(input),
    ...ofEvent,
  },
  RUN_FINISHED: {
    threadId: otherwise(string, ''),
    runId: otherwise(string, ''),
    result: optional(anyJson),
    outcome: optional(outcome),
    usage,
    ...ofEvent,
  },
  RUN_ERROR: { message: string, code: lenient(string), usage, ...ofEvent },
  STEP_STARTED: { stepName: string, ...owned },
  STEP_FINISHED: { stepName: string, ...owned },
  TEXT_MESSAGE_START: { messageId: string, role, name: optional(string), ...owned },
  TEXT_MESSAGE_CONTENT: { messageId: string, delta: string, ...owned },
  TEXT_MESSAGE_END: ofMessage,
  TEXT_MESSAGE_CHUNK: {
    messageId: optional(string),
    role,
    delta: optional(string),
    name: optional(string),
    ...owned,
  },
  TOOL_CALL_START: { toolCallId: string, toolCallName: string, parentMessageId: optional(string), ...owned },
  TOOL_CALL_ARGS: { toolCallId: string, delta: string, ...owned },
  TOOL_CALL_END: ofCall,
  TOOL_CALL_CHUNK: {
    toolCallId: optional(string),
    toolCallName: optional(string),
    parentMessageId: optional(string),
    delta: optional(string),
    ...owned,
  },
  TOOL_CALL_RESULT: { messageId: string, toolCallId: string, content, role: lenient(oneOf('tool')), ...owned },
  STATE_SNAPSHOT: { snapshot: json, ...owned },
  STATE_DELTA: { delta: patch, ...owned },
  MESSAGES_SNAPSHOT: { messages, ...ofEvent },
  ACTIVITY_SNAPSHOT: {
    messageId: string,
    activityType: string,
    content: jsonObject,
    replace: optional(boolean),
    ...owned,
  },
  ACTIVITY_DELTA: { messageId: string, activityType: string, patch, ...owned },
  REASONING_START: ofMessage,
  REASONING_END: ofMessage,
  // Older servers said `assistant` or nothing.
  REASONING_MESSAGE_START: { messageId: string, role: () => 'reasoning', ...owned },
  REASONING_MESSAGE_CONTENT: { messageId: string, delta: string, ...owned },
  REASONING_MESSAGE_END: ofMessage,
  REASONING_MESSAGE_CHUNK: { messageId: optional(string), delta: optional(string), ...owned },
  REASONING_ENCRYPTED_VALUE: {
    subtype: oneOf('message', 'tool-call'),
    entityId: string,
    encryptedValue: string,
    ...owned,
  },
  SUBAGENT_STARTED: {
    subagentRunId: string,
    name: string,
    description: optional(string),
    parentSubagentRunId: optional(string),
    parentToolCallId: optional(string),
    parentMessageId: optional(string),
    ...ofEvent,
  },
  SUBAGENT_FINISHED: {
    subagentRunId: string,
    result: optional(anyJson),
    outcome: lenient(subagentOutcome),
    ...ofEvent,
  },
  SUBAGENT_ERROR: { subagentRunId: string, message: string, code: lenient(string), ...ofEvent },
  RAW: { event: anyJson, source: optional(string), ...owned },
  CUSTOM: { name: string, value: anyJson, ...owned },
})

/**
 * Undefined for a `type` that is not known here.
 *
 * @throws FactwireError `invalid_value` when it is no event, or one whose fields are wrong.
 */
export function parseAgUi(value: unknown, onUnknown?: OnUnknown): AgUiEvent | undefined {
  return event(value, '', onUnknown)
}

const event = ofProtocol('ag-ui', (value, path, onUnknown) => {
  const from = object(value, path)
  const { type } = from
  const modern = typeof type === 'string' && type.startsWith('THINKING_') ? MODERN.get(type) : undefined
  return read(modern ? { ...from, type: modern, messageId: THOUGHT } : from, path, onUnknown)
})

/** The same for fragments that have nothing but what they must, and perhaps their time, which are nearly all of a stream. */
export function parseFragment(value: unknown): AgUiEvent | undefined {
  if (!isObject(value)) return undefined
  const { type, delta } = value
  if (typeof delta !== 'string') return undefined
  // The names are spelled again: strings of the program are told apart faster than strings of the input.
  switch (type) {
    case 'TEXT_MESSAGE_CONTENT':
      return messageFragment('TEXT_MESSAGE_CONTENT', value, delta)
    case 'REASONING_MESSAGE_CONTENT':
      return messageFragment('REASONING_MESSAGE_CONTENT', value, delta)
    case 'TOOL_CALL_ARGS': {
      const { toolCallId, timestamp } = value
      if (typeof toolCallId !== 'string' || hasMore(value)) return undefined
      if (timestamp === undefined) return { type: 'TOOL_CALL_ARGS', toolCallId, delta }
      return typeof timestamp === 'number' ? { type: 'TOOL_CALL_ARGS', toolCallId, delta, timestamp } : undefined
    }
    default:
      return undefined
  }
}

interface Unread {
  readonly [key: string]: unknown
}

function messageFragment(
  type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT',
  value: Unread,
  delta: string,
): AgUiEvent | undefined {
  const { messageId, timestamp } = value
  if (typeof messageId !== 'string' || hasMore(value)) return undefined
  if (timestamp === undefined) return { type, messageId, delta }
  return typeof timestamp === 'number' ? { type, messageId, delta, timestamp } : undefined
}

function hasMore({ rawEvent, metadata: more, subagentRunId }: Unread): boolean {
  return rawEvent !== undefined || more !== undefined || subagentRunId !== undefined
}

/** They had no ids; no two of them are open at once. */
const THOUGHT = 'thinking'

const MODERN: ReadonlyMap<string, AgUiEvent['type']> = new Map([
  ['THINKING_START', 'REASONING_START'],
  ['THINKING_TEXT_MESSAGE_START', 'REASONING_MESSAGE_START'],
  ['THINKING_TEXT_MESSAGE_CONTENT', 'REASONING_MESSAGE_CONTENT'],
  ['THINKING_TEXT_MESSAGE_END', 'REASONING_MESSAGE_END'],
  ['THINKING_END', 'REASONING_END'],
])
