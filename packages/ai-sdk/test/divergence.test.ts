/** What was shown turns out different: a client of v7 takes the step back, and the others are told the truth or an error. */
import { type AgentEvent, deltaEvent, factEvent, type Fact, writer } from '@factwire/core'
import { expect, test } from 'vitest'
import { aiSdk } from '../src/index.ts'
import type { Target } from '../src/wire.ts'
import { openChat, type UIMessage } from './client.ts'

const TARGETS: readonly Target[] = ['v5', 'v6', 'v7']
const OLDER: readonly Target[] = ['v5', 'v6']
const run = { threadId: 't', runId: 'r', history: [{ id: 'u', role: 'user', content: [] }] } as const
const begun = factEvent({ type: 'run_started' })
const finished = factEvent({ type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } })
const text = (delta: string): AgentEvent => deltaEvent({ type: 'text_delta', delta })
const args = (id: string, args_delta: string): AgentEvent =>
  deltaEvent({ type: 'tool_call_delta', id, name: 'look', args_delta })
const said = (given: string): AgentEvent =>
  factEvent({ type: 'assistant_message', id: 'm', content: [{ type: 'text', text: given }] })
const called = (id: string, more: Partial<Extract<Fact, { type: 'tool_call' }>> = {}): AgentEvent =>
  factEvent({
    type: 'tool_call',
    id,
    name: 'look',
    input: { at: 1 },
    disposition: 'executed',
    message_id: 'm',
    ...more,
  })
const result = (id: string): AgentEvent =>
  factEvent({ type: 'tool_result', id, content: [{ type: 'text', text: 'x' }], is_error: false })

async function read(target: Target, ...events: readonly AgentEvent[]) {
  const { push, close } = writer(aiSdk, run, { transcoder: { target } })
  const body = events.map(push).join('') + close()
  const chat = openChat(target, { messages: [{ id: 'u', role: 'user', parts: [] }] as unknown as UIMessage[] })
  await chat.ask(body)
  const { status, error, messages, ran } = chat.page()
  const parts = JSON.parse(JSON.stringify(messages.at(-1)?.parts ?? [])) as readonly { readonly type: string }[]
  return { body, status, error: error?.message, parts: parts.filter(({ type }) => type !== 'step-start'), ran }
}

test.each(TARGETS)('%s: a beginning is only added to', async (target) => {
  const { body, parts } = await read(target, begun, text('Hel'), said('Hello'), finished)
  expect(parts).toEqual([{ type: 'text', text: 'Hello', state: 'done' }])
  expect(body).not.toContain('reset-step')
  expect(body).toContain('"delta":"lo"')
})

test('v7: other words take the place of those that were shown', async () => {
  const { body, status, parts } = await read('v7', begun, text('Hullo'), said('Hello'), finished)
  expect({ status, parts }).toEqual({ status: 'ready', parts: [{ type: 'text', text: 'Hello', state: 'done' }] })
  expect(body).toContain('{"type":"reset-step"}')
})

test.each(OLDER)('%s: other words than those that were shown are an error', async (target) => {
  const { body, status, error } = await read(target, begun, text('Hullo'), said('Hello'), finished)
  expect({ status, error }).toEqual({ status: 'error', error: 'what was shown is not what was committed' })
  expect(body).toContain('"code":"stream_reconciliation_failed"')
  expect(body).not.toContain('reset-step')
})

test.each(OLDER)('%s: a run that failed for a reason of its own keeps it', async (target) => {
  const failed = factEvent({ type: 'run_failed', code: 'overloaded', message: 'try later' })
  expect(await read(target, begun, text('Hullo'), said('Hello'), failed)).toMatchObject({
    status: 'error',
    error: 'try later',
  })
})

const places = (parts: readonly { readonly type: string }[]): string => parts.map(({ type }) => type).join(' ')

test('v7: a text of which nothing was shown stands before the calls that were, as it does by the facts', async () => {
  const facts = [said('Hello'), called('c'), result('c'), finished]
  const whole = await read('v7', begun, ...facts)
  const { body, status, parts, ran } = await read('v7', begun, args('c', '{"at":1}'), ...facts)
  expect({ status, ran, parts }).toEqual({ status: 'ready', ran: [], parts: whole.parts })
  expect(body).toContain('{"type":"reset-step"}')
})

test('v7: a thought and a text of which nothing was shown stand before the calls', async () => {
  const thought = factEvent({ type: 'assistant_thinking', message_id: 'm', text: 'Hm.' })
  const { parts } = await read('v7', begun, args('c', '{'), thought, said('Hello'), called('c'), result('c'), finished)
  expect(places(parts)).toBe('reasoning text tool-look')
})

test.each(OLDER)(
  '%s: a text of which nothing was shown is told behind the calls, and fails nothing',
  async (target) => {
    const { status, parts } = await read(
      target,
      begun,
      args('c', '{'),
      said('Hello'),
      called('c'),
      result('c'),
      finished,
    )
    expect({ status, parts: places(parts) }).toEqual({ status: 'ready', parts: 'tool-look text' })
  },
)

test.each(TARGETS)('%s: a text that was shown behind a call stays there', async (target) => {
  const facts = [said('Hello'), called('c'), result('c'), finished]
  const { body, status, parts } = await read(target, begun, args('c', '{"at":1}'), text('Hel'), ...facts)
  expect({ status, parts: places(parts) }).toEqual({ status: 'ready', parts: 'tool-look text' })
  expect(body).not.toContain('reset-step')
})

test.each(TARGETS)('%s: arguments that turn out different are put right, because they come whole', async (target) => {
  const { status, parts } = await read(target, begun, args('c', '{"at":2'), called('c'), result('c'), finished)
  expect({ status, parts }).toMatchObject({
    status: 'ready',
    parts: [{ type: 'tool-look', input: { at: 1 }, output: 'x' }],
  })
})

test.each(TARGETS)('%s: a call that was given up runs nowhere', async (target) => {
  const cancelled = deltaEvent({ type: 'tool_call_cancelled', id: 'gone', name: 'look', reason: 'lost' })
  const { status, parts, ran } = await read(
    target,
    begun,
    args('gone', '{'),
    args('c', '{'),
    cancelled,
    called('c'),
    result('c'),
    finished,
  )
  expect({ status, ran }).toEqual({ status: 'ready', ran: [] })
  const shown = parts.map((part) => [(part as { toolCallId?: string }).toolCallId, (part as { state?: string }).state])
  expect(shown).toEqual(
    target === 'v7'
      ? [['c', 'output-available']]
      : [
          ['gone', 'output-error'],
          ['c', 'output-available'],
        ],
  )
})

test('v7: the tool of a page runs once, also where its step was told again', async () => {
  const pending = { disposition: 'pending_client' } as const
  const waits = factEvent({
    type: 'awaiting',
    pending_tool_use_id: 'a',
    pending: [
      { tool_use_id: 'a', kind: 'client' },
      { tool_use_id: 'b', kind: 'client' },
    ],
  })
  const { body, ran } = await read(
    'v7',
    begun,
    args('b', '{'),
    args('a', '{'),
    called('a', pending),
    called('b', pending),
    waits,
  )
  expect(body).toContain('reset-step')
  expect(ran).toEqual(['a', 'b'])
})

test.each(OLDER)('%s: a new attempt goes on with what was shown', async (target) => {
  const reset = deltaEvent({ type: 'stream_reset', reason: 'lost' })
  expect(await read(target, begun, text('Hel'), reset, text('He'), text('llo'), said('Hello'), finished)).toMatchObject(
    {
      status: 'ready',
      parts: [{ text: 'Hello' }],
    },
  )
})

test.each(TARGETS)('%s: keys that a client refuses are left out, and the rest arrives', async (target) => {
  const input = JSON.parse(
    '{"__proto__":{"a":1},"constructor":{"prototype":1},"kept":{"constructor":2,"__proto__":3}}',
  ) as never
  const { status, parts } = await read(target, begun, called('c', { input }), result('c'), finished)
  expect({ status, parts }).toMatchObject({ status: 'ready', parts: [{ input: { kept: { constructor: 2 } } }] })
})

test.each(TARGETS)('%s: arguments that are no JSON are run by nobody', async (target) => {
  const broken = called('c', { input: null, raw_input: '{"at":' })
  const refused = factEvent({ type: 'tool_result', id: 'c', content: [], is_error: true })
  const { parts, ran } = await read(target, begun, broken, refused, finished)
  expect(ran).toEqual([])
  expect(parts).toMatchObject([
    { toolCallId: 'c', ...(target === 'v7' ? { input: '{"at":' } : { rawInput: '{"at":' }) },
  ])
})

test('a server that does not know the thread lets the client name its messages', async () => {
  const { push, close } = writer(aiSdk, { threadId: 't', runId: 'r' })
  const body = [begun, said('Hello'), finished].map(push).join('') + close()
  expect(body.slice(0, body.indexOf('\n'))).toBe('data: {"type":"start"}')
})
