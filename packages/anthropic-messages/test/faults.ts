/** Faults that only a server of this wire can have, each as its clients met it. */
import { type Fault, type Tampering, tampered, withTranscoder } from '@factwire/conformance'
import { isObject } from '@factwire/core'

const fault = (name: string, law: string, tamper: () => Tampering): Fault => ({
  name,
  law,
  sabotage: (subject) => tampered(subject, tamper),
})

type Fields = { readonly [key: string]: unknown }

const kindOf = (frame: unknown): unknown => (isObject(frame) ? frame['type'] : undefined)

const changed = (type: string, change: (frame: Fields) => Fields) => (): Tampering => ({
  frames: (frames) => frames.map((frame) => (isObject(frame) && frame['type'] === type ? change(frame) : frame)),
})

const without = (type: string) => (): Tampering => ({
  frames: (frames) => frames.filter((frame) => kindOf(frame) !== type),
})

function withBlock(change: (block: Fields) => Fields): () => Tampering {
  return changed('content_block_start', (frame) =>
    isObject(frame['content_block']) ? { ...frame, content_block: change(frame['content_block']) } : frame,
  )
}

export const faults: readonly Fault[] = [
  {
    name: 'who joins is told that the agent runs every call',
    law: 'join',
    sabotage: (subject) =>
      withTranscoder(subject, (run, options, joined) =>
        subject.protocol.transcoder(
          run,
          options,
          joined && { ...joined, committed: { ...joined.committed, dispositions: [] } },
        ),
      ),
  },
  {
    name: 'events have no names',
    law: 'shows the truth',
    sabotage(subject) {
      const { framing } = subject.protocol
      const text = (frame: unknown): string => framing.text(frame).replace(/^event: .*\n/, '')
      return { ...subject, protocol: { ...subject.protocol, framing: { ...framing, text } } }
    },
  },
  fault('blocks are counted from one', 'well formed', () => ({
    frames: (frames) =>
      frames.map((frame) =>
        isObject(frame) && typeof frame['index'] === 'number' ? { ...frame, index: frame['index'] + 1 } : frame,
      ),
  })),
  fault('blocks are never closed', 'well formed', without('content_block_stop')),
  fault('nobody says why it stops', 'well formed', without('message_delta')),
  fault('the end is left out', 'well formed', without('message_stop')),
  fault('each thought begins another message', 'well formed', () => {
    let start: unknown
    return {
      frames: (frames) =>
        frames.flatMap((frame) => {
          if (kindOf(frame) === 'message_start') start = frame
          const block = isObject(frame) ? frame['content_block'] : undefined
          return kindOf(block) === 'thinking' ? [start, frame] : [frame]
        }),
    }
  }),
  fault(
    'what the agent runs is offered to the client',
    'shows the truth',
    withBlock((block) => (block['type'] === 'mcp_tool_use' ? { ...block, type: 'tool_use' } : block)),
  ),
  fault(
    'failed results look fine',
    'shows the truth',
    withBlock((block) => (block['type'] === 'mcp_tool_result' ? { ...block, is_error: false } : block)),
  ),
  fault(
    'an answer with calls stops as if it had none',
    'shows the truth',
    changed('message_delta', (frame) => ({ ...frame, delta: { stop_reason: 'end_turn', stop_sequence: null } })),
  ),
  fault(
    'usage is told at the start alone',
    'shows the truth',
    changed('message_delta', (frame) => ({ ...frame, usage: { input_tokens: 0, output_tokens: 0 } })),
  ),
]
