/** Turns SSE messages into events of a response and back. Looks at what kind of event it is, never at what it says. */
import {
  FactwireError,
  type Framing,
  isObject,
  parseJson,
  parseUnread,
  stringify,
  type WireMessage,
} from '@factwire/core'
import { writingOf } from './piece-event.ts'
import { DONE, type ResponsesFrame } from './wire.ts'

export const framing: Framing<ResponsesFrame> = {
  mediaType: 'text/event-stream',
  headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
  heartbeat: ': heartbeat\n\n',
  text(frame) {
    if (frame === DONE) return `data: ${DONE}\n\n`
    return writingOf(frame)?.text() ?? `event: ${frame.type}\ndata: ${stringify(frame)}\n\n`
  },
  template: (frame) => (frame === DONE ? undefined : writingOf(frame)?.next),
  parse,
  fragments: [['delta']],
  noise: ['sequence_number', 'obfuscation'],
}

function parse({ data, event = '', stray }: WireMessage): ResponsesFrame | undefined {
  if (stray) return parseLine(data.trim())
  // Events are objects without leading space almost always; the other forms pay for the search.
  if (data.charCodeAt(0) !== 0x7b) {
    const text = data.trim()
    if (text === DONE) return DONE
    if (text === '') return undefined
    if (event === 'error' && !text.startsWith('{')) return { type: 'error', message: text }
  }
  return frameOf(parseUnread(data), event)
}

/** A line outside the SSE grammar: JSON without `data:`, or no stream at all. */
function parseLine(line: string): ResponsesFrame | undefined {
  if (line === '') return undefined
  if (line === DONE) return DONE
  if (line.startsWith('{')) return frameOf(parseJson(line), '')
  if (line.startsWith('<')) throw malformed('a page of markup in place of a stream')
  // A field that the SSE grammar does not know is ignored, as the grammar demands.
  if (/^[\w.-]+:/.test(line)) return undefined
  throw malformed(`a line that is no event: ${excerpt(line)}`)
}

/** Servers that leave the type out of the data name it in the event; what has none is an error, or a whole answer. */
function frameOf(value: unknown, event: string): ResponsesFrame | undefined {
  if (value === null) return undefined
  if (!isObject(value)) throw malformed(`no event: ${excerpt(JSON.stringify(value))}`)
  const { type } = value
  if (typeof type === 'string' && value['object'] !== 'error') return { ...value, type }
  if (value['object'] === 'response') return { type: endOf(value['status']), response: value }
  if (value['error'] || value['object'] === 'error') return { type: 'error', error: value['error'] ?? value }
  if (event !== '' && event !== 'message') return { ...value, type: event }
  if (typeof value['message'] === 'string' || value['detail']) return { type: 'error', error: value }
  throw malformed('an event without a type')
}

const endOf = (status: unknown): string =>
  status === 'completed' || status === 'failed' ? `response.${status}` : 'response.incomplete'

function malformed(message: string): FactwireError {
  return new FactwireError('malformed_frame', message, { protocol: 'openai-responses' })
}

function excerpt(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
