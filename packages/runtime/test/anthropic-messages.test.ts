import { anthropicMessages, history } from '@factwire/anthropic-messages'
import { textOf } from '@factwire/core'
import { readSse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { agent, type Model } from '../src/index.ts'
import { outline, RUN, said, toolsOf } from './agent.ts'
import { manualClock, patiently } from './clock.ts'
import { memoryStore, type MemoryStore } from './store.ts'

const model: Model = {
  wire: anthropicMessages,
  messages: readSse,
  request: ({ messages, tools }) => ({
    url: 'http://provider.test/v1/messages',
    headers: { 'x-api-key': 'none', 'anthropic-version': '2023-06-01' },
    body: {
      model: 'claude',
      max_tokens: 1024,
      stream: true,
      ...history({ messages }),
      tools: tools.map(({ name, description, parameters = { type: 'object' } }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    },
  }),
}

// ── What the provider says ──

const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

let answers = 0
const begin = (): string =>
  event('message_start', {
    message: {
      id: `msg_${answers++}`,
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [],
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  })

function block(index: number, content_block: object, ...deltas: readonly object[]): string {
  return (
    event('content_block_start', { index, content_block }) +
    deltas.map((delta) => event('content_block_delta', { index, delta })).join('') +
    event('content_block_stop', { index })
  )
}

const thinking = (index: number, thought: string, signature: string): string =>
  block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: thought },
    { type: 'signature_delta', signature },
  )
const text = (index: number, value: string): string =>
  block(index, { type: 'text', text: '' }, { type: 'text_delta', text: value })
const call = (index: number, id: string, name: string, input: object): string =>
  block(
    index,
    { type: 'tool_use', id, name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  )
const end = (stop_reason: string): string =>
  event('message_delta', { delta: { stop_reason }, usage: { output_tokens: 7 } }) + event('message_stop')

// ── The run ──

interface Asked {
  readonly messages: readonly {
    readonly role: string
    readonly content: readonly { readonly type: string; readonly tool_use_id?: string; readonly id?: string }[]
  }[]
}

/** What a provider would refuse of a request. */
function objection({ messages }: Asked): string | undefined {
  if (messages[0]?.role !== 'user' || messages.at(-1)?.role !== 'user') return 'the user does not have both words'
  for (const [index, { role, content }] of messages.entries()) {
    if (role === messages[index - 1]?.role) return `message ${index} is another of ${role}`
    if (content.length === 0) return `message ${index} is empty`
    if (role !== 'assistant') continue
    const calls = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
    const next = messages[index + 1]?.content ?? []
    const results = next.slice(0, calls.length).map(({ tool_use_id }) => tool_use_id)
    if (calls.some((id) => !results.includes(id))) return `message ${index} has calls without results right behind it`
  }
  return undefined
}

interface Played {
  readonly store: MemoryStore
  readonly asked: readonly Asked[]
  readonly trace: readonly string[]
}

async function played(...bodies: readonly (string | (() => Response))[]): Promise<Played> {
  const asked: Asked[] = []
  const trace: string[] = []
  const clock = manualClock()
  const store = memoryStore()
  const made = agent({
    model,
    clock,
    tools: toolsOf(trace),
    fold: { reasoning: 'text' },
    fetch: async (_url, init) => {
      asked.push(JSON.parse(typeof init?.body === 'string' ? init.body : 'null') as Asked)
      const body = bodies[asked.length - 1]
      if (body === undefined) throw new Error('asked once too often')
      return typeof body === 'string' ? new Response(body) : body()
    },
  })
  const run = made.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store })
  await patiently(clock, run.over)
  for (const body of asked) expect(objection(body)).toBeUndefined()
  return { store, asked, trace }
}

const contentOf = ({ messages }: Asked, index: number): unknown => messages.at(index)?.content

test('a thought goes back with the signature that it came with, before the call and its result', async () => {
  const { store, asked, trace } = await played(
    begin() +
      thinking(0, 'Which city?', 'c2lnbmVk') +
      text(1, 'Let me look.') +
      call(2, 'toolu_1', 'look_up', { city: 'Oslo' }) +
      end('tool_use'),
    begin() + text(0, 'Four degrees.') + end('end_turn'),
  )
  expect(trace).toEqual(['look_up toolu_1 Oslo'])
  expect(asked).toHaveLength(2)
  expect(asked[1]?.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Which city?', signature: 'c2lnbmVk' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: { city: 'Oslo' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'text', text: '{"city":"Oslo","degrees":4}' }],
        },
      ],
    },
  ])
  expect(outline(store.thread().messages).at(-1)).toBe('assistant: Four degrees.')
  expect(store.facts().at(-1)).toMatchObject({ type: 'run_finished', exhausted: false })
})

test('what was withheld of a thought, and a signature alone, go back too', async () => {
  const { asked } = await played(
    begin() +
      block(0, { type: 'redacted_thinking', data: 'ZW5j' }) +
      block(1, { type: 'thinking', thinking: '', signature: '' }, { type: 'signature_delta', signature: 's' }) +
      call(2, 'toolu_1', 'now', {}) +
      end('tool_use'),
    begin() + text(0, 'Done.') + end('end_turn'),
  )
  expect(asked[1] && contentOf(asked[1], 1)).toEqual([
    { type: 'redacted_thinking', data: 'ZW5j' },
    { type: 'thinking', thinking: '', signature: 's' },
    { type: 'tool_use', id: 'toolu_1', name: 'now', input: {} },
  ])
})

test('the results of calls that were made at once are one message', async () => {
  const { asked, trace } = await played(
    begin() +
      call(0, 'a', 'look_up', { city: 'Rom' }) +
      call(1, 'b', 'fail', {}) +
      call(2, 'c', 'nothing', {}) +
      end('tool_use'),
    begin() + text(0, 'Done.') + end('end_turn'),
  )
  expect([...trace].toSorted()).toEqual(['fail', 'look_up a Rom'])
  const results = (asked[1]?.messages.at(-1)?.content ?? []) as readonly {
    readonly tool_use_id: string
    readonly is_error?: boolean
  }[]
  expect(results.map(({ tool_use_id, is_error = false }) => [tool_use_id, is_error])).toEqual([
    ['a', false],
    ['b', true],
    ['c', true],
  ])
})

test('what the provider runs itself is its own affair: what it said around that is one message, with a blank line between', async () => {
  const { store, asked } = await played(
    begin() +
      text(0, 'Let me search.') +
      block(
        1,
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
        { type: 'input_json_delta', partial_json: '{"query":"x"}' },
      ) +
      block(2, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }) +
      // An answer with its sources comes in many blocks, and is one text.
      text(3, 'Now the ') +
      text(4, 'city.') +
      call(5, 'toolu_1', 'look_up', { city: 'Bern' }) +
      end('tool_use'),
    begin() + text(0, 'Done.') + end('end_turn'),
  )
  expect(asked).toHaveLength(2)
  expect(outline(store.thread().messages)).toEqual([
    'user: Go.',
    'assistant: Let me search.',
    'assistant: \n\nNow the ',
    'assistant: city.',
    'calls toolu_1 look_up {"city":"Bern"}',
    'toolu_1: {"city":"Bern","degrees":4}',
    'assistant: Done.',
  ])
  const shown = store.events.flatMap(({ event: told }) => (told.type === 'text_delta' ? [told.delta] : [])).join('')
  const facts = store.facts().flatMap((fact) => (fact.type === 'assistant_message' ? [textOf(fact.content)] : []))
  expect(facts[0]).toBe('Let me search.\n\nNow the city.')
  expect(shown).toBe(facts.join(''))
  expect(offsets(store)).toBe(true)
})

/** Whether each fragment stands where it says, in the text of its message. */
function offsets({ events }: MemoryStore): boolean {
  const ends = new Map<string | undefined, number>()
  return events.every(({ event: told }) => {
    if (told.type !== 'text_delta') return true
    const { message_id, offset, delta } = told
    const at = ends.get(message_id) ?? 0
    ends.set(message_id, at + delta.length)
    return offset === at
  })
}

test('what was thought in two messages of an answer has a blank line between, and goes back as it came', async () => {
  const search = (index: number): string =>
    block(index, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }) +
    block(index + 1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] })
  const { store, asked } = await played(
    begin() +
      thinking(0, 'First.', 'one') +
      search(1) +
      thinking(3, 'Then.', 'two') +
      call(4, 'toolu_1', 'now', {}) +
      end('tool_use'),
    begin() + text(0, 'Done.') + end('end_turn'),
  )
  const thoughts = store.facts().flatMap((fact) => (fact.type === 'assistant_thinking' ? [fact.text] : []))
  const shown = store.events.flatMap(({ event: told }) => (told.type === 'reasoning_delta' ? [told.delta] : []))
  expect([thoughts[0], shown.join('')]).toEqual(['First.\n\nThen.', 'First.\n\nThen.'])
  expect(asked[1] && contentOf(asked[1], 1)).toMatchObject([
    { type: 'thinking', thinking: 'First.', signature: 'one' },
    { type: 'thinking', thinking: 'Then.', signature: 'two' },
    { type: 'tool_use', id: 'toolu_1' },
  ])
})

test('an error in the stream, and one in place of it, are asked about again', async () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const { store, asked } = await played(
    event('error', { error: overloaded.error }),
    () => Response.json(overloaded, { status: 529 }),
    begin() + text(0, 'Hi.') + end('end_turn'),
  )
  expect(asked).toHaveLength(3)
  expect(store.facts().at(-1)).toMatchObject({ type: 'run_finished' })
})

test('an answer that broke off is continued, and the thread is one that the provider takes', async () => {
  const { store, asked } = await played(
    begin() + block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Once upon' }),
    begin() + text(0, ' a time.') + end('end_turn'),
  )
  expect(asked).toHaveLength(2)
  expect(store.facts().find(({ type }) => type === 'assistant_message')).toMatchObject({
    content: [{ type: 'text', text: 'Once upon a time.' }],
  })
})

test('a call that the limit has cut is not made', async () => {
  const { store, trace } = await played(
    begin() +
      text(0, 'So.') +
      event('content_block_start', {
        index: 1,
        content_block: { type: 'tool_use', id: 'a', name: 'look_up', input: {} },
      }) +
      event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: '{"city":"Os' } }) +
      end('max_tokens'),
  )
  expect(trace).toEqual([])
  expect(store.facts().at(-1)).toMatchObject({ type: 'run_finished', exhausted: true })
})
