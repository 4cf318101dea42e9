/** AG-UI events as the text of server-sent events, and back. */
import {
  type Framing,
  FactwireError,
  type OnUnknown,
  type WireMessage,
  isObject,
  parseJson,
  quote,
  stringify,
} from '@factwire/core'
import { parseAgUi } from './parse.ts'
import type { AgUiEvent, ReasoningMessageContentEvent, TextMessageContentEvent, ToolCallArgsEvent } from './wire.ts'

export interface FramingOptions {
  /** Told of each event, field, role, part or operation that is not known here and dropped. */
  readonly onUnknown?: OnUnknown
}

export function createFraming({ onUnknown }: FramingOptions = {}): Framing<AgUiEvent> {
  return {
    mediaType: 'text/event-stream',
    // A proxy that buffers or compresses holds events back.
    headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
    // One line feed: it then stands in the block of the next event, which clients read as one event.
    heartbeat: ': heartbeat\n',
    text: (frame, seq) => {
      const data = jsonOf(frame)
      return seq === undefined ? `data: ${data}\n\n` : `id: ${seq}\ndata: ${data}\n\n`
    },
    parse: (message) => parse(message, onUnknown),
  }
}

export const framing: Framing<AgUiEvent> = createFraming()

/** Fragments are nearly all of a stream: of those only what varies is escaped. */
function jsonOf(frame: AgUiEvent): string {
  switch (frame.type) {
    case 'TEXT_MESSAGE_CONTENT':
    case 'REASONING_MESSAGE_CONTENT':
      if (hasMore(frame)) break
      return `{"type":"${frame.type}","messageId":${quote(frame.messageId)},"delta":${quote(frame.delta)}}`
    case 'TOOL_CALL_ARGS':
      if (hasMore(frame)) break
      return `{"type":"TOOL_CALL_ARGS","toolCallId":${quote(frame.toolCallId)},"delta":${quote(frame.delta)}}`
    default:
  }
  return stringify(frame)
}

type Fragment = TextMessageContentEvent | ReasoningMessageContentEvent | ToolCallArgsEvent

function hasMore({ timestamp, rawEvent, metadata, subagentRunId }: Fragment): boolean {
  return timestamp !== undefined || rawEvent !== undefined || metadata !== undefined || subagentRunId !== undefined
}

/** A line outside the SSE grammar is ignored, as clients do, unless it is bare JSON: then a server says something else than SSE. */
function parse({ data, stray }: WireMessage, onUnknown: OnUnknown | undefined): AgUiEvent | undefined {
  if (data === '' || data === '[DONE]' || (stray && !data.startsWith('{'))) return undefined
  const value = parseJson(data)
  if (isObject(value) && !Object.hasOwn(value, 'type') && Object.hasOwn(value, 'error')) {
    throw new FactwireError('source_failed', errorText(value['error']), { protocol: 'ag-ui' })
  }
  return parseAgUi(value, onUnknown)
}

/** What a server says that answers with an error where events were to come. */
function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : stringify(error)
}
