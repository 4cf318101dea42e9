/** AG-UI events as the text of server-sent events, and back. */
import {
  type Framing,
  FactwireError,
  type OnUnknown,
  type Template,
  type WireMessage,
  escaped,
  isObject,
  onePiece,
  parseUnread,
  quote,
  stringify,
} from '@factwire/core'
import { parseAgUi, parseFragment } from './parse.ts'
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
    text: (frame, seq) =>
      isFragment(frame) ? writerOf(frame)(frame.delta, seq) : `${idLine(seq)}data: ${stringify(frame)}\n\n`,
    template: (frame) => (isFragment(frame) ? writerOf(frame) : undefined),
    parse: (message) => parse(message, onUnknown),
    // Whoever is told of what is unknown is told of it in each message.
    fragments: onUnknown ? [] : [['delta']],
  }
}

export const framing: Framing<AgUiEvent> = createFraming()

const idLine = (seq: number | undefined): string => (seq === undefined ? '' : `id: ${seq}\n`)

type Fragment = TextMessageContentEvent | ReasoningMessageContentEvent | ToolCallArgsEvent

/** Fragments are nearly all of a stream: of those only what varies is escaped. */
function writerOf(frame: Fragment): Template {
  const id =
    frame.type === 'TOOL_CALL_ARGS'
      ? `"toolCallId":${quote(frame.toolCallId)}`
      : `"messageId":${quote(frame.messageId)}`
  const head = onePiece('data: {"type":"', frame.type, '",', id, ',"delta":"')
  const afterId = onePiece('\n', head)
  return (fragment, seq) => `${seq === undefined ? head : `id: ${seq}${afterId}`}${escaped(fragment)}"}\n\n`
}

/** One that says nothing else beside. */
function isFragment(frame: AgUiEvent): frame is Fragment {
  switch (frame.type) {
    case 'TEXT_MESSAGE_CONTENT':
    case 'REASONING_MESSAGE_CONTENT':
    case 'TOOL_CALL_ARGS': {
      const { timestamp, rawEvent, metadata, subagentRunId } = frame
      return [timestamp, rawEvent, metadata, subagentRunId].every((more) => more === undefined)
    }
    default:
      return false
  }
}

/** A line outside the SSE grammar is ignored, as clients do, unless it is bare JSON: then a server says something else than SSE. */
function parse({ data, stray }: WireMessage, onUnknown: OnUnknown | undefined): AgUiEvent | undefined {
  if (data === '' || data === '[DONE]' || (stray && !data.startsWith('{'))) return undefined
  const value = parseUnread(data)
  const fragment = onUnknown ? undefined : parseFragment(value)
  if (fragment) return fragment
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
