/** Flat events as the text of server-sent events, and back. */
import { type Framing, FactwireError, type WireMessage, escaped, isObject, parseJson, stringify } from '@factwire/core'
import { heartbeat } from './format.ts'
import { parseFlat } from './parse.ts'
import type { FlatEvent } from './wire.ts'

export const framing: Framing<FlatEvent> = {
  mediaType: 'text/event-stream',
  // A proxy that buffers or compresses holds events back.
  headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
  heartbeat,
  /** Fragments are nearly all of a stream: of those only what varies is escaped. */
  text(frame, seq) {
    const id = seq === undefined ? '' : `id: ${seq}\n`
    switch (frame.event_type) {
      case 'text_delta':
        return `${id}data: {"event_type":"text_delta","delta":"${escaped(frame.delta)}"}\n\n`
      case 'reasoning_delta':
        return `${id}data: {"event_type":"reasoning_delta","delta":"${escaped(frame.delta)}"}\n\n`
      case 'tool_call_delta':
        return `${id}data: {"event_type":"tool_call_delta","id":"${escaped(frame.id)}","args_delta":"${escaped(frame.args_delta)}"}\n\n`
      default:
        return `${id}data: ${stringify(frame)}\n\n`
    }
  },
  parse,
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
