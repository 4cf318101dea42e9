/** How frames of new-wire look as text: one line of JSON in a server-sent event. */
import {
  type Framing,
  type Template,
  escaped,
  ofProtocol,
  oneOf,
  parseJson,
  string,
  stringify,
  variants,
  arrayOf,
  boolean,
  record,
} from '@factwire/core'
import type { Frame, Waiting } from './wire.ts'

const waiting = record<Waiting>({ call: string, by: oneOf('client', 'approval') })

const read = ofProtocol(
  'new-wire',
  variants<Frame, 'type'>('type', {
    start: { run: string, replay: boolean },
    message: { id: string },
    text: { text: string },
    drop: { id: string },
    call: { id: string, name: string, arguments: string, by: oneOf('agent', 'client', 'approval') },
    result: { call: string, text: string, error: boolean },
    end: { reason: oneOf('finished', 'exhausted', 'waiting'), waiting: arrayOf(waiting) },
    error: { code: string, message: string },
  }),
)

const writeText: Template = (fragment) => `data: {"type":"text","text":"${escaped(fragment)}"}\n\n`

export const framing: Framing<Frame> = {
  mediaType: 'text/event-stream',
  headers: { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
  heartbeat: ': heartbeat\n\n',
  text: (frame) => `data: ${stringify(frame)}\n\n`,
  // Text is nearly all of a stream: of that only the fragment is escaped.
  template: (frame) => (frame.type === 'text' ? writeText : undefined),
  parse: ({ data }) => (data.trim() === '' ? undefined : read(parseJson(data), '')),
  // Messages that differ in their text alone are not parsed again.
  fragments: [['text']],
}
