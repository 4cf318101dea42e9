/** Parts of a message that a server writes at once: what is committed has them in the order in which the official chat shows them. */
import { decodeChunks } from '@factwire/conformance'
import { type AgentEvent, type Commit, isCommit, type Message, textOf } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aiSdk, decoder, framing } from '../src/index.ts'
import type { Target, UiFrame } from '../src/wire.ts'
import { ASKED } from './official.ts'
import { openChat } from './client.ts'

const TARGETS: readonly Target[] = ['v5', 'v6', 'v7']

type Chunk = { readonly type: string; readonly [field: string]: unknown }

const chunk = (type: string, fields: object = {}): Chunk => ({ type, ...fields })
const starts = (id: string): Chunk => chunk('text-start', { id })
const says = (id: string, delta: string): Chunk => chunk('text-delta', { id, delta })
const ends = (id: string): Chunk => chunk('text-end', { id })
const begins = (toolCallId: string): Chunk => chunk('tool-input-start', { toolCallId, toolName: 'look' })
const writes = (toolCallId: string, inputTextDelta: string): Chunk =>
  chunk('tool-input-delta', { toolCallId, inputTextDelta })
const isWhole = (toolCallId: string): Chunk =>
  chunk('tool-input-available', { toolCallId, toolName: 'look', input: { at: 1 }, providerExecuted: true })
const gives = (toolCallId: string): Chunk =>
  chunk('tool-output-available', { toolCallId, output: `of ${toolCallId}`, providerExecuted: true })

const bodyOf = (chunks: readonly Chunk[]): string =>
  [
    chunk('start', { messageId: 'answer-to-user-1' }),
    chunk('start-step'),
    ...chunks,
    chunk('finish-step'),
    chunk('finish', { finishReason: 'stop' }),
  ]
    .map((one) => `data: ${JSON.stringify(one)}\n\n`)
    .join('') + 'data: [DONE]\n\n'

interface LoosePart {
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly state?: string
  readonly output?: unknown
}

/** The parts of the page in few words, and what came of its calls. */
async function shown(target: Target, body: string): Promise<unknown> {
  const chat = openChat(target, { messages: ASKED })
  await chat.ask(body)
  const { error, warnings, messages } = chat.page()
  expect({ error, warnings }).toEqual({ error: undefined, warnings: [] })
  const parts = (messages.at(-1)?.parts ?? []) as unknown as readonly LoosePart[]
  return {
    parts: parts.flatMap(({ type, text, toolCallId }) => {
      if (toolCallId !== undefined) return [`calls ${toolCallId}`]
      return text === undefined || text === '' ? [] : [`${type} ${text}`]
    }),
    results: Object.fromEntries(
      parts.flatMap(({ toolCallId = '', output }) => (output === undefined ? [] : [[toolCallId, output]])),
    ),
  }
}

function committed(body: string): unknown {
  const messages = commitsIn(body).flatMap((commit) => commit.messages)
  return {
    parts: messages.flatMap(partsOf),
    results: Object.fromEntries(
      messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, textOf(block.content)]] : [])),
      ),
    ),
  }
}

function commitsIn(body: string): readonly Commit[] {
  const reading = decoder()
  const frames = body.split('\n\n').flatMap((line): readonly UiFrame[] => {
    const frame = line === '' ? undefined : framing.parse({ data: line.slice('data: '.length) })
    return frame === undefined ? [] : [frame]
  })
  return [...frames.flatMap((frame) => reading.push(frame)), ...reading.end()].filter(isCommit)
}

const partsOf = ({ content }: Message): readonly string[] =>
  content.flatMap((block) => {
    switch (block.type) {
      case 'text':
        return [`text ${block.text}`]
      case 'thinking':
        return [`reasoning ${block.text}`]
      case 'tool_use':
        return [`calls ${block.id}`]
      default:
        return []
    }
  })

/** Whether what was streamed of each message is the beginning of what is committed, each fragment where it says. */
function isPrefix(body: string): boolean {
  const streamed = new Map<string, string>()
  return decodeChunks(aiSdk, [new TextEncoder().encode(body)]).every(({ event }) => {
    if (event.type === 'text_delta') {
      const before = streamed.get(event.message_id ?? '') ?? ''
      streamed.set(event.message_id ?? '', before + event.delta)
      return event.offset === before.length
    }
    if (event.type !== 'assistant_message') return true
    const text = event.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    return text.startsWith(streamed.get(event.id) ?? '')
  })
}

const streamedText = (body: string): string =>
  decodeChunks(aiSdk, [new TextEncoder().encode(body)])
    .map(({ event }: AgentEvent) => (event.type === 'text_delta' ? event.delta : ''))
    .join('')

const cases: readonly (readonly [string, readonly Chunk[]])[] = [
  [
    'two texts alternate',
    [
      starts('a'),
      says('a', 'A1'),
      starts('b'),
      says('b', 'B1'),
      says('a', 'A2'),
      ends('a'),
      says('b', 'B2'),
      ends('b'),
    ],
  ],
  [
    'the later of two texts ends first',
    [starts('a'), starts('b'), says('b', 'B'), ends('b'), says('a', 'A'), ends('a')],
  ],
  [
    'a call begins before the first word of a text',
    [starts('a'), begins('c'), says('a', 'A'), writes('c', '{"at":1}'), isWhole('c'), ends('a'), gives('c')],
  ],
  [
    'a result comes while another call is written',
    [
      begins('c'),
      writes('c', '{"at":1}'),
      isWhole('c'),
      begins('d'),
      writes('d', '{"a'),
      gives('c'),
      writes('d', 't":1}'),
      isWhole('d'),
      gives('d'),
    ],
  ],
  [
    'a result comes in the middle of a text',
    [
      begins('c'),
      writes('c', '{"at":1}'),
      isWhole('c'),
      starts('a'),
      says('a', 'A1'),
      gives('c'),
      says('a', 'A2'),
      ends('a'),
    ],
  ],
  [
    'two thoughts alternate',
    [
      chunk('reasoning-start', { id: 'r' }),
      chunk('reasoning-delta', { id: 'r', delta: 'R1' }),
      chunk('reasoning-start', { id: 's' }),
      chunk('reasoning-delta', { id: 's', delta: 'S1' }),
      chunk('reasoning-delta', { id: 'r', delta: 'R2' }),
      chunk('reasoning-end', { id: 'r' }),
      chunk('reasoning-end', { id: 's' }),
    ],
  ],
]

test.each(cases.flatMap(([name, chunks]) => TARGETS.map((target) => ({ name, target, chunks }))))(
  '$target: where $name, what is committed is what the chat shows',
  async ({ target, chunks }) => {
    const body = bodyOf(chunks)
    expect(committed(body)).toEqual(await shown(target, body))
    expect(isPrefix(body)).toBe(true)
  },
)

test('a text that is alone is shown as it is written, and a later one once the earlier is over', () => {
  const begun = [starts('a'), says('a', 'A1'), starts('b'), says('b', 'B1')]
  const head = (chunks: readonly Chunk[]): string => bodyOf(chunks).split('data: {"type":"finish-step"}')[0] ?? ''
  expect(streamedText(head(begun))).toBe('A1')
  expect(streamedText(head([...begun, says('a', 'A2'), ends('a')]))).toBe('A1A2B1')
  expect(streamedText(head([...begun, ends('a'), says('b', 'B2')]))).toBe('A1B1B2')
})

/** Any server that begins, goes on with and ends whatever it likes. */
const anyChunks = fc
  .array(fc.record({ of: fc.integer({ min: 0, max: 5 }), what: fc.integer({ min: 0, max: 3 }) }), { maxLength: 30 })
  .map((picks) => {
    const open = new Set<number>()
    const told = new Set<number>()
    const chunks = picks.flatMap(({ of, what }, index): readonly Chunk[] => {
      const type = of < 3 ? 'text' : of < 5 ? 'reasoning' : 'call'
      if (type === 'call') return callChunks(`c${index}`)
      const id = `${type}-${of}`
      if (!open.has(of)) {
        if (told.has(of)) return []
        told.add(of)
        open.add(of)
        return [chunk(`${type}-start`, { id })]
      }
      if (what > 0) return [chunk(`${type}-delta`, { id, delta: `${of}.${index} ` })]
      open.delete(of)
      return [chunk(`${type}-end`, { id })]
    })
    const ending = [...open].map((of) =>
      chunk(of < 3 ? 'text-end' : 'reasoning-end', { id: `${of < 3 ? 'text' : 'reasoning'}-${of}` }),
    )
    return [...chunks, ...ending]
  })

const callChunks = (id: string): readonly Chunk[] => [begins(id), writes(id, '{"at":1}'), isWhole(id), gives(id)]

test('whatever a server mixes, what is committed is what the chat shows', async () => {
  await fc.assert(
    fc.asyncProperty(anyChunks, fc.constantFrom(...TARGETS), async (chunks, target) => {
      const body = bodyOf(chunks)
      expect(committed(body)).toEqual(await shown(target, body))
      expect(isPrefix(body)).toBe(true)
    }),
    { numRuns: Number(process.env['FACTWIRE_RUNS'] ?? 100) },
  )
})
