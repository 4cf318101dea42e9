/** Turns SSE messages into chat frames and back. Looks at what kind of frame it is, never at what a chunk says. */
import {
  FactwireError,
  type Framing,
  isObject,
  parseJson,
  parseUnread,
  stringify,
  type WireMessage,
} from '@factwire/core'
import { isError } from './failure.ts'
import { PieceChunk } from './piece-chunk.ts'
import { type ChatFrame, DONE } from './wire.ts'

export const framing: Framing<ChatFrame> = {
  mediaType: 'text/event-stream',
  headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
  heartbeat: ': heartbeat\n\n',
  text(frame) {
    if (frame instanceof PieceChunk) return frame.text()
    return frame === DONE ? `data: ${DONE}\n\n` : `data: ${stringify(frame)}\n\n`
  },
  template: (frame) => (frame instanceof PieceChunk ? frame.template : undefined),
  parse,
  fragments: [
    ['choices', 0, 'delta', 'content'],
    ['choices', 0, 'delta', 'reasoning_content'],
    ['choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments'],
  ],
  noise: ['obfuscation'],
}

/** Names that say no more than no name does. */
const PLAIN_EVENTS: ReadonlySet<string> = new Set(['', 'message', 'error'])

function parse({ data, event = '', stray }: WireMessage): ChatFrame | undefined {
  if (stray) return parseLine(data.trim())
  // Chunks are objects without leading space almost always; the other forms pay for the search.
  if (data.charCodeAt(0) !== 0x7b) {
    const text = data.trim()
    if (text === DONE) return DONE
    if (event === 'error') return parseError(text)
    if (text === '') return undefined
  }
  if (event === 'error') return parseError(data)
  return frameOf(parseUnread(data), event)
}

/** A line outside the SSE grammar: JSON without `data:`, an `error:` field, or no stream at all. */
function parseLine(line: string): ChatFrame | undefined {
  if (line === '') return undefined
  if (line === DONE) return DONE
  if (line.startsWith('{') || /^\[\s*\{/.test(line)) return frameOf(parseJson(line), '')
  const field = /^(data|error)\s*:(.*)$/is.exec(line)
  if (field?.[1]?.toLowerCase() === 'error') return parseError((field[2] ?? '').trim())
  // A field name that is not quite right, but no doubt about what was meant.
  if (field) return parse({ data: (field[2] ?? '').trim() })
  if (line.startsWith('<')) throw malformed('a page of markup in place of a stream')
  // A field that the SSE grammar does not know is ignored, as the grammar demands.
  if (/^[\w.-]+:/.test(line)) return undefined
  throw malformed(`a line that is no event: ${excerpt(line)}`)
}

function frameOf(value: unknown, event: string): ChatFrame | undefined {
  if (value === null) return undefined
  // Google wraps its errors in an array.
  if (Array.isArray(value) && isObject(value[0]) && isError(value[0]['error'])) return frameOf(value[0], event)
  if (!isObject(value)) throw malformed(`no chunk: ${excerpt(JSON.stringify(value))}`)
  if (Array.isArray(value['choices']) || isError(value['error'])) return value
  if (value['object'] === 'error') return { error: value }
  if (!PLAIN_EVENTS.has(event)) return undefined
  return bareError(value) ?? value
}

/** Gateways report failures in shapes of their own. Each of them is an error only where there are no choices. */
function bareError(value: { readonly [key: string]: unknown }): ChatFrame | undefined {
  const detail = value['detail']
  if (isError(detail)) return { error: { ...value, message: detail } }
  return typeof value['message'] === 'string' ? { error: value } : undefined
}

/** What the server itself calls an error, in whatever form. */
function parseError(text: string): ChatFrame {
  let value: unknown = text
  try {
    value = parseJson(text)
  } catch {
    return { error: text || {} }
  }
  const body = Array.isArray(value) ? value[0] : value
  if (!isObject(body)) return { error: text }
  if (isError(body['error'])) return body
  return bareError(body) ?? { error: { ...body, message: text } }
}

function malformed(message: string): FactwireError {
  return new FactwireError('malformed_frame', message, { protocol: 'openai-chat' })
}

function excerpt(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
