/** How chunks of a UI message stream look as text: one line of JSON in a server-sent event, and an end mark. */
import { escaped, type Framing, onePiece, parseUnread, quote, type Template } from '@factwire/core'
import { allowedText } from './allowed.ts'
import { parseChunk } from './parse.ts'
import { DONE, type TextDeltaChunk, type ToolInputDeltaChunk, type UiFrame } from './wire.ts'

export const framing: Framing<UiFrame> = {
  mediaType: 'text/event-stream',
  headers: {
    // A proxy that buffers or compresses holds chunks back.
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-vercel-ai-ui-message-stream': 'v1',
  },
  heartbeat: ': keep-alive\n\n',
  text: (frame, seq) => `${idLine(seq)}data: ${frame === DONE ? DONE : allowedText(frame)}\n\n`,
  template: (frame) => (isFragment(frame) ? writerOf(frame) : undefined),
  parse: ({ data, stray }) => {
    // A line outside of events is ignored, as clients do, unless a server says something else than events.
    if (data.trim() === '' || (stray && !data.startsWith('{'))) return undefined
    return data === DONE ? DONE : parseChunk(parseUnread(data), '')
  },
  fragments: [['delta'], ['inputTextDelta']],
}

/** Clients ignore it; whoever relays the stream can say where it stands. */
const idLine = (seq: number | undefined): string => (seq === undefined ? '' : `id: ${seq}\n`)

type Fragment = TextDeltaChunk | ToolInputDeltaChunk

/** One that says nothing else beside. */
function isFragment(frame: UiFrame): frame is Fragment {
  if (frame === DONE) return false
  switch (frame.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return frame.providerMetadata === undefined
    case 'tool-input-delta':
      return true
    default:
      return false
  }
}

/** Fragments are nearly all of a stream: of those only what varies is escaped. */
function writerOf(frame: Fragment): Template {
  const named =
    frame.type === 'tool-input-delta'
      ? `"toolCallId":${quote(frame.toolCallId)},"inputTextDelta":"`
      : `"id":${quote(frame.id)},"delta":"`
  const head = onePiece('data: {"type":"', frame.type, '",', named)
  const afterId = onePiece('\n', head)
  return (fragment, seq) => `${seq === undefined ? head : `id: ${seq}${afterId}`}${escaped(fragment)}"}\n\n`
}
