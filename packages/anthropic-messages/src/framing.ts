/** Turns server-sent events into frames of the Messages stream and back. Looks at what kind of event it is, never at what it says. */
import {
  FactwireError,
  type Framing,
  isObject,
  parseJson,
  parseUnread,
  stringify,
  type WireMessage,
} from '@factwire/core'
import { PieceEvent } from './piece-event.ts'
import type { MessagesFrame } from './wire.ts'

export const framing: Framing<MessagesFrame> = {
  mediaType: 'text/event-stream',
  headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
  heartbeat: 'event: ping\ndata: {"type": "ping"}\n\n',
  // Without its name the official client skips an event, and says nothing.
  text: (frame) => (frame instanceof PieceEvent ? frame.text() : `event: ${frame.type}\ndata: ${stringify(frame)}\n\n`),
  template: (frame) => (frame instanceof PieceEvent ? frame.template : undefined),
  parse,
  fragments: [
    ['delta', 'text'],
    ['delta', 'thinking'],
    ['delta', 'partial_json'],
  ],
}

const TYPES: ReadonlySet<unknown> = new Set<MessagesFrame['type']>([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'error',
  'message',
])

/** Names that say no more than no name does: then the data says what it is. */
const PLAIN_EVENTS: ReadonlySet<string> = new Set(['', 'message'])

function parse({ data, event = '', stray }: WireMessage): MessagesFrame | undefined {
  if (stray) return parseLine(data.trim())
  // New events come at any time, and readers are told to ignore those that they do not know.
  if (!TYPES.has(event) && !PLAIN_EVENTS.has(event)) return undefined
  const text = data.trim()
  if (text === '' || text === '[DONE]') return undefined
  if (event === 'error') return parseError(text)
  return frameOf(parseUnread(text), event)
}

/** A line outside the SSE grammar: JSON without `data:`, or no stream at all. */
function parseLine(line: string): MessagesFrame | undefined {
  if (line === '' || line === '[DONE]') return undefined
  if (line.startsWith('{')) return frameOf(parseJson(line), '')
  if (line.startsWith('<')) throw malformed('a page of markup in place of a stream')
  // A field that the SSE grammar does not know is ignored, as the grammar demands.
  if (/^[\w.-]+:/.test(line)) return undefined
  throw malformed(`a line that is no event: ${excerpt(line)}`)
}

function frameOf(value: unknown, event: string): MessagesFrame | undefined {
  if (value === null) return undefined
  if (!isObject(value)) throw malformed(`no event: ${excerpt(JSON.stringify(value))}`)
  const type = value['type'] ?? (event === '' || event === 'message' ? undefined : event)
  if (TYPES.has(type)) return { ...value, type } as MessagesFrame
  // Gateways report failures in shapes of their own.
  if (value['error']) return { type: 'error', error: value['error'] }
  return undefined
}

/** What the server itself calls an error, in whatever form. */
function parseError(text: string): MessagesFrame {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return { type: 'error', error: text }
  }
  if (!isObject(value)) return { type: 'error', error: text }
  return { type: 'error', error: value['error'] ?? { ...value, message: value['message'] ?? text } }
}

function malformed(message: string): FactwireError {
  return new FactwireError('malformed_frame', message, { protocol: 'anthropic-messages' })
}

function excerpt(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
