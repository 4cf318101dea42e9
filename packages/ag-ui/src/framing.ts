/** AG-UI events as the text of server-sent events, and back. */
import {
  type Framing,
  FactwireError,
  type OnUnknown,
  type WireMessage,
  escaped,
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
  const headOf = createHeads()

  /** Fragments are nearly all of a stream: of those only what varies is escaped. */
  function text(frame: AgUiEvent, seq?: number): string {
    const id = seq === undefined ? '' : `id: ${seq}\n`
    switch (frame.type) {
      case 'TEXT_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CONTENT':
        if (hasMore(frame)) break
        return `${id}${headOf(frame.type, 'messageId', frame.messageId)}${escaped(frame.delta)}"}\n\n`
      case 'TOOL_CALL_ARGS':
        if (hasMore(frame)) break
        return `${id}${headOf(frame.type, 'toolCallId', frame.toolCallId)}${escaped(frame.delta)}"}\n\n`
      default:
    }
    return `${id}data: ${stringify(frame)}\n\n`
  }

  return {
    mediaType: 'text/event-stream',
    // A proxy that buffers or compresses holds events back.
    headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
    // One line feed: it then stands in the block of the next event, which clients read as one event.
    heartbeat: ': heartbeat\n',
    text,
    parse: (message) => parse(message, onUnknown),
  }
}

export const framing: Framing<AgUiEvent> = createFraming()

/** What stands before a fragment. Those of one item come one after the other, so it is nearly always the same again. */
function createHeads(): (type: Fragment['type'], key: string, id: string) => string {
  let last = { type: '', id: '', head: '' }
  return (type, key, id) => {
    if (last.type !== type || last.id !== id) {
      last = { type, id, head: `data: {"type":"${type}","${key}":${quote(id)},"delta":"` }
    }
    return last.head
  }
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
