import type { ToolResultFact } from '@factwire/core'
import { expect, test } from 'vitest'
import type { Tool, ToolContext } from '../src/index.ts'
import { RUN, said, world } from './agent.ts'
import { patiently } from './clock.ts'
import { memoryStore, type MemoryStore } from './store.ts'

async function calling(
  run: Tool['run'],
  more: Partial<Tool> = {},
): Promise<{ result: ToolResultFact | undefined; store: MemoryStore }> {
  const { agent: made, clock } = world('no-arguments', { tools: [{ name: 'now', run, ...more }] })
  const store = memoryStore()
  await patiently(clock, made.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store }).over)
  return { result: store.facts().find((fact) => fact.type === 'tool_result'), store }
}

test.each<[string, ReturnType<Tool['run']>, Partial<ToolResultFact>]>([
  ['a text', 'noon', { content: [{ type: 'text', text: 'noon' }], is_error: false }],
  ['nothing', undefined, { content: [], is_error: false }],
  ['null', null as unknown as undefined, { content: [], is_error: false }],
  ['an empty text', '', { content: [], is_error: false }],
  ['data', { data: { hour: 12 } }, { content: [{ type: 'text', text: '{"hour":12}' }], data: { hour: 12 } }],
  ['data and words', { data: 12, content: 'noon' }, { content: [{ type: 'text', text: 'noon' }], data: 12 }],
  [
    'an error of its own',
    { content: 'closed', is_error: true },
    { content: [{ type: 'text', text: 'closed' }], is_error: true },
  ],
  [
    'blocks',
    [{ type: 'text', text: 'a' }, { type: 'redacted' }],
    { content: [{ type: 'text', text: 'a' }, { type: 'redacted' }] },
  ],
])('a tool may give %s', async (_name, given, expected) => {
  const { result } = await calling(() => given)
  expect(result).toMatchObject(expected)
})

test.each([
  ['throws', () => Promise.reject(new Error('disk full')), 'disk full'],
  ['throws what is no error', () => Promise.reject('gone' as unknown as Error), 'gone'],
  ['throws without words', () => Promise.reject(new Error('')), 'The tool failed.'],
  ['throws what has no words', () => Promise.reject(Object.create(null) as Error), 'The tool failed.'],
  ['gives a number', () => 5 as unknown as string, 'the tool gave neither a text nor blocks'],
  ['gives an object of its own', () => ({ hour: 12 }) as unknown as string, 'the tool gave neither a text nor blocks'],
  ['gives blocks that are none', () => ['a'] as unknown as string, 'content[0]'],
  ['gives content that is none', () => ({ content: 5 }) as unknown as string, 'content'],
  ['gives data that are no JSON', () => ({ data: 1n }) as unknown as string, 'BigInt'],
  ['gives data without end', () => ({ data: globalThis }) as unknown as string, 'circular'],
])('a tool that %s has a result that says so', async (_name, run, words) => {
  const { result } = await calling(run)
  expect(result).toMatchObject({ is_error: true, content: [{ text: expect.stringContaining(words) }] })
})

test('what a tool prints is shown until it has its result, and not behind it', async () => {
  const { store } = await calling((_input, { output }) => {
    output('one ')
    output('two')
    setImmediate(() => output('late'))
    return 'done'
  })
  await new Promise(setImmediate)
  const printed = store.events.flatMap(({ event }) => (event.type === 'tool_output_delta' ? [event.delta] : []))
  expect(printed).toEqual(['one ', 'two'])
})

test('what a tool does to its input is not done to the thread', async () => {
  const { store } = await calling((input) => {
    Object.assign(input as object, { changed: true })
    return 'done'
  })
  expect(JSON.stringify(store.thread().messages)).not.toContain('changed')
})

test('a tool knows what it is called for', async () => {
  let seen: Partial<ToolContext> = {}
  await calling((_input, { runId, threadId, callId, signal, decision }) => {
    seen = { runId, threadId, callId, signal, ...(decision ? { decision } : {}) }
  })
  expect(seen).toMatchObject({ runId: 'run-1', threadId: 'thread-1', callId: 'call_n' })
  expect(seen.signal?.aborted).toBe(false)
})

test('a tool whose time is up hears of it, and its result is not taken any more', async () => {
  const heard: unknown[] = []
  const { result } = await calling(
    (_input, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          heard.push(signal.reason)
          resolve('late')
        }),
      ),
    { timeoutMs: 50 },
  )
  expect(heard).toEqual([new Error('no result within 50 ms')])
  expect(result).toMatchObject({
    is_error: true,
    content: [{ text: 'The tool was given up: no result within 50 ms.' }],
  })
})

test('what a schema makes of the input is what the tool gets', async () => {
  const inputs: unknown[] = []
  await calling((input) => void inputs.push(input), {
    schema: { '~standard': { validate: () => ({ value: { zone: 'UTC' } }) } },
  })
  expect(inputs).toEqual([{ zone: 'UTC' }])
})

test('two tools of one name are a mistake', () => {
  const tools = [
    { name: 'now', run: () => '' },
    { name: 'now', run: () => '' },
  ]
  expect(() => world('text', { tools })).toThrow(TypeError)
})
