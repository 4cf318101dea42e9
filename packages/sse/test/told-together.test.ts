import { type AgentEvent, type Commit, type Fact, type ToolResultFact, fold, reader, writer } from '@factwire/core'
import { expect, test } from 'vitest'
import { sse } from '../src/index.ts'
import type { FlatEvent } from '../src/wire.ts'

const facts = (events: readonly AgentEvent[]): Fact[] =>
  events.flatMap((event) => (event.tier === 'fact' ? [event.event] : []))

function read(frames: readonly FlatEvent[]): AgentEvent[] {
  const { push, end } = reader(sse)
  return [...frames.flatMap((frame) => push({ data: JSON.stringify(frame) })), ...end()]
}

function again(result: Omit<ToolResultFact, 'type' | 'id' | 'name'>): Fact | undefined {
  const { push, close } = writer(sse, { threadId: 't', runId: 'r' })
  const { data, ...rest } = result
  const commits: readonly Commit[] = [
    {
      messages: [{ id: 'm', role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'rm', input: {} }] }],
      state: { type: 'running' },
    },
    {
      messages: [
        {
          id: 'tool-c1',
          role: 'tool',
          content: [{ type: 'tool_result', tool_use_id: 'c1', ...rest, ...(data === undefined ? {} : { data }) }],
        },
      ],
      state: { type: 'ended', cause: { type: 'natural_end' } },
    },
  ]
  let text = ''
  let before: Parameters<typeof fold>[1] = { openCalls: [] }
  for (const commit of commits) {
    const { facts: told, after } = fold(commit, before)
    for (const event of told) text += push({ tier: 'fact', event })
    before = after
  }
  const frames = (text + close()).split('\n').flatMap((line): FlatEvent[] => {
    return line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as FlatEvent] : []
  })
  return facts(read(frames)).find(({ type }) => type === 'tool_result')
}

test('a result that holds nothing is read as nothing, not as an empty text', () => {
  expect(again({ content: [], is_error: false })).toMatchObject({ content: [], is_error: false })
  expect(again({ content: [], is_error: true })).toMatchObject({ content: [], is_error: true })
  expect(again({ content: [], is_error: false, data: { a: 1 } })).toMatchObject({ content: [], data: { a: 1 } })
  expect(again({ content: [{ type: 'text', text: '' }], is_error: false })).toMatchObject({
    content: [{ type: 'text', text: '' }],
  })
})

const START: FlatEvent = { event_type: 'run_start', thread_id: 't', run_id: 'r' }
const END: FlatEvent = { event_type: 'run_finish', thread_id: 't', run_id: 'r', termination: { type: 'natural_end' } }

const types = (events: readonly AgentEvent[]): string[] => events.map(({ event }) => event.type)

test('a snapshot that comes with a message follows it, and so does what comes of it then', () => {
  const events = read([
    START,
    { event_type: 'step_start', message_id: 'm' },
    { event_type: 'text_delta', delta: 'Hi' },
    { event_type: 'state_snapshot', snapshot: { n: 1 } },
    { event_type: 'activity_snapshot', message_id: 'a', activity_type: 'plan', content: {} },
    { event_type: 'state_delta', delta: [{ op: 'add', path: '/n', value: 2 }] },
    { event_type: 'state_snapshot', snapshot: { n: 2 } },
    { event_type: 'step_end' },
    END,
  ])
  expect(types(events)).toEqual([
    'run_started',
    'step_started',
    'text_delta',
    'assistant_message',
    'state_snapshot',
    'activity_snapshot',
    'step_ended',
    'state_delta',
    'state_snapshot',
    'run_finished',
  ])
})

test('a snapshot between two steps belongs to neither', () => {
  const events = read([
    START,
    { event_type: 'step_start', message_id: 'm' },
    { event_type: 'text_delta', delta: 'Hi' },
    { event_type: 'step_end' },
    { event_type: 'state_snapshot', snapshot: { n: 1 } },
    END,
  ])
  expect(types(facts(events).map((event) => ({ tier: 'fact', event })))).toEqual([
    'run_started',
    'assistant_message',
    'step_ended',
    'state_snapshot',
    'run_finished',
  ])
})

test('a snapshot is kept where the message with it is taken back, or the run ends first', () => {
  const told = read([
    START,
    { event_type: 'step_start', message_id: 'm' },
    { event_type: 'text_delta', delta: 'Hi' },
    { event_type: 'state_snapshot', snapshot: { n: 1 } },
    { event_type: 'stream_reset', reason: 'again' },
    { event_type: 'state_delta', delta: [{ op: 'add', path: '/n', value: 2 }] },
    END,
  ])
  expect(types(told).slice(-3)).toEqual(['state_snapshot', 'state_delta', 'run_finished'])
})
