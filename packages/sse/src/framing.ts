/** Flat events as the text of server-sent events, and back. */
import {
  type Framing,
  FactwireError,
  type Template,
  type WireMessage,
  escaped,
  isObject,
  onePiece,
  parseUnread,
  quote,
  stringify,
} from '@factwire/core'
import { heartbeat } from './format.ts'
import { parseFlat, parseFragment } from './parse.ts'
import type { FlatEvent } from './wire.ts'

export const framing: Framing<FlatEvent> = {
  mediaType: 'text/event-stream',
  // A proxy that buffers or compresses holds events back.
  headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
  heartbeat,
  text(frame, seq) {
    switch (frame.event_type) {
      case 'text_delta':
        return writeText(frame.delta, seq)
      case 'reasoning_delta':
        return writeReasoning(frame.delta, seq)
      case 'tool_call_delta':
        return writeArguments(frame.id)(frame.args_delta, seq)
      default:
        return `${idLine(seq)}data: ${stringify(frame)}\n\n`
    }
  },
  template(frame) {
    switch (frame.event_type) {
      case 'text_delta':
        return writeText
      case 'reasoning_delta':
        return writeReasoning
      case 'tool_call_delta':
        return writeArguments(frame.id)
      default:
        return undefined
    }
  },
  parse,
  fragments: [['delta'], ['args_delta']],
}

const idLine = (seq: number | undefined): string => (seq === undefined ? '' : `id: ${seq}\n`)

/** Fragments are nearly all of a stream: of those only what varies is escaped. */
function fragmentAfter(members: string): Template {
  const head = onePiece('data: {', members, ':"')
  const afterId = onePiece('\n', head)
  return (fragment, seq) => `${seq === undefined ? head : `id: ${seq}${afterId}`}${escaped(fragment)}"}\n\n`
}

const writeText = fragmentAfter('"event_type":"text_delta","delta"')
const writeReasoning = fragmentAfter('"event_type":"reasoning_delta","delta"')
const writeArguments = (id: string): Template =>
  fragmentAfter(`"event_type":"tool_call_delta","id":${quote(id)},"args_delta"`)

/**
 * A line outside the SSE grammar is ignored, as readers do, unless it is bare JSON: then a server says something else
 * than SSE.
 */
function parse({ data, stray }: WireMessage): FlatEvent | undefined {
  if (data === '' || (stray && !data.startsWith('{'))) return undefined
  const value = parseUnread(data)
  const fragment = parseFragment(value)
  if (fragment) return fragment
  if (isObject(value) && !Object.hasOwn(value, 'event_type') && typeof value['error'] === 'string') {
    throw new FactwireError('source_failed', value['error'], { protocol: 'sse' })
  }
  return parseFlat(value)
}
