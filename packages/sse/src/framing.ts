/** Flat events as the text of server-sent events, and back. */
import { type Framing, FactwireError, type WireMessage, isObject, parseJson, quote, stringify } from '@factwire/core'
import { heartbeat } from './format.ts'
import { parseFlat } from './parse.ts'
import type { FlatEvent } from './wire.ts'

export const framing: Framing<FlatEvent> = {
  mediaType: 'text/event-stream',
  // A proxy that buffers or compresses holds events back.
  headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
  heartbeat,
  text: (frame, seq) => {
    const json = jsonOf(frame)
    return seq === undefined ? `data: ${json}\n\n` : `id: ${seq}\ndata: ${json}\n\n`
  },
  parse,
}

/** Fragments are nearly all of a stream: of those only what varies is escaped. */
function jsonOf(frame: FlatEvent): string {
  switch (frame.event_type) {
    case 'text_delta':
      return `{"event_type":"text_delta","delta":${quote(frame.delta)}}`
    case 'reasoning_delta':
      return `{"event_type":"reasoning_delta","delta":${quote(frame.delta)}}`
    case 'tool_call_delta':
      return `{"event_type":"tool_call_delta","id":${quote(frame.id)},"args_delta":${quote(frame.args_delta)}}`
    default:
      return stringify(frame)
  }
}

/**
 * A line outside the SSE grammar is ignored, as readers do, unless it is bare JSON: then a server says something else
 * than SSE.
 */
function parse({ data, stray }: WireMessage): FlatEvent | undefined {
  if (data === '' || (stray && !data.startsWith('{'))) return undefined
  const value = parseJson(data)
  if (isObject(value) && !Object.hasOwn(value, 'event_type') && typeof value['error'] === 'string') {
    throw new FactwireError('source_failed', value['error'], { protocol: 'sse' })
  }
  return parseFlat(value)
}
