import { type Breach, checkGrammar } from '@factwire/core'
import { expect, test } from 'vitest'
import { type FlatEvent, framing, grammar } from '../src/index.ts'
import { clientView } from './client.ts'

const start: FlatEvent = { event_type: 'run_start', thread_id: 't', run_id: 'r' }
const finish: FlatEvent = {
  event_type: 'run_finish',
  thread_id: 't',
  run_id: 'r',
  termination: { type: 'natural_end' },
}
const wait: FlatEvent = { event_type: 'run_finish', thread_id: 't', run_id: 'r', termination: { type: 'suspended' } }
const error: FlatEvent = { event_type: 'error', message: 'no' }
const stored: FlatEvent = { event_type: 'messages_snapshot', messages: [{ id: 'u', role: 'user', content: [] }] }
const step = (message_id: string): FlatEvent => ({ event_type: 'step_start', message_id })
const end: FlatEvent = { event_type: 'step_end' }
const reset: FlatEvent = { event_type: 'stream_reset', reason: 'again' }
const text: FlatEvent = { event_type: 'text_delta', delta: 'Hi' }
const call: FlatEvent = { event_type: 'tool_call_start', id: 'c', name: 'sum' }
const args: FlatEvent = { event_type: 'tool_call_delta', id: 'c', args_delta: '{' }
const ready: FlatEvent = { event_type: 'tool_call_ready', id: 'c', name: 'sum', arguments: {} }
const output: FlatEvent = { event_type: 'tool_call_stream_delta', id: 'c', name: 'sum', delta: '…' }
const cancel: FlatEvent = { event_type: 'tool_call_cancel', id: 'c', name: 'sum', reason: 'lost' }
const done: FlatEvent = {
  event_type: 'tool_call_done',
  id: 'c',
  message_id: 'tool-c',
  result: { tool_name: 'sum', status: 'success', data: 3, message: null },
  outcome: 'succeeded',
}
const pend: FlatEvent = {
  event_type: 'tool_call_done',
  id: 'c',
  message_id: '',
  result: { tool_name: 'sum', status: 'pending', data: null, message: null },
  outcome: 'suspended',
}

/** Within a run, in one step that ends. */
const inStep = (...events: readonly FlatEvent[]): readonly FlatEvent[] => [start, step('m'), ...events, end, finish]

function breaches(events: readonly FlatEvent[]): readonly Breach[] {
  const check = checkGrammar(grammar)
  return [...events.flatMap((event) => check.push(event)), ...check.end()]
}

function reaction(events: readonly FlatEvent[]): 'rejected' | 'warned' | 'took it' {
  const view = clientView(events.map((event) => framing.text(event)).join(''))
  if (view.rejected !== undefined) return 'rejected'
  return view.warnings.length > 0 ? 'warned' : 'took it'
}

interface Example {
  readonly legal: readonly FlatEvent[]
  readonly broken: readonly FlatEvent[]
  /** What the client did with the broken one. */
  readonly client: ReturnType<typeof reaction>
}

const examples: Readonly<Record<string, Example>> = {
  'run-starts-first': { legal: [start, error], broken: [error], client: 'took it' },
  'no-success-unstarted': { legal: [start, finish], broken: [finish], client: 'rejected' },
  'run-starts-once': { legal: [start, wait, start, finish], broken: [start, start, finish], client: 'took it' },
  'run-ends': { legal: [start, wait], broken: [start], client: 'took it' },
  'nothing-after-end': { legal: inStep(text), broken: [...inStep(text), text], client: 'warned' },
  'ended-run-rests': { legal: [start, wait, start, error], broken: [start, error, start, finish], client: 'took it' },
  'end-names-its-run': { legal: [start, finish], broken: [start, { ...finish, run_id: 'other' }], client: 'took it' },
  'history-first': {
    legal: [start, stored, step('m'), text, end, finish],
    broken: inStep(text, stored),
    client: 'took it',
  },
  'content-in-step': { legal: inStep(text), broken: [start, text, end, finish], client: 'took it' },
  'reset-of-a-step': { legal: inStep(text, reset, text), broken: [start, reset, finish], client: 'took it' },
  'step-ends-once': { legal: inStep(), broken: inStep(end), client: 'took it' },
  'step-closes': {
    legal: [start, step('m'), text, step('n'), text, end, finish],
    broken: [start, step('m'), text, finish],
    client: 'took it',
  },
  'step-starts-once': {
    legal: inStep(text, step('m'), text),
    broken: inStep(text, end, step('m'), text),
    client: 'took it',
  },
  'call-starts-first': { legal: inStep(call, ready, done), broken: inStep(ready, done), client: 'took it' },
  'call-starts-once': {
    legal: inStep(call, reset, call, ready, done),
    broken: inStep(call, call, ready, done),
    client: 'took it',
  },
  'arguments-of-open-call': {
    legal: inStep(call, args, ready, done),
    broken: inStep(call, ready, args, done),
    client: 'warned',
  },
  'ready-once': { legal: inStep(call, ready, done), broken: inStep(call, ready, ready, done), client: 'took it' },
  'ready-before-result': { legal: inStep(call, ready, done), broken: inStep(call, done), client: 'took it' },
  'output-of-open-call': {
    legal: inStep(call, ready, output, done),
    broken: inStep(call, ready, done, output),
    client: 'warned',
  },
  'prints-while-running': {
    legal: inStep(call, ready, output, done),
    broken: inStep(call, output, ready, done),
    client: 'took it',
  },
  'result-of-known-call': { legal: inStep(call, ready, done), broken: inStep(done), client: 'took it' },
  'one-result': { legal: inStep(call, ready, done), broken: inStep(call, ready, done, done), client: 'took it' },
  'cancel-of-known-call': { legal: inStep(call, cancel), broken: inStep(cancel), client: 'took it' },
  'cancel-before-ready': { legal: inStep(call, args, cancel), broken: inStep(call, ready, cancel), client: 'took it' },
  'call-ends': { legal: inStep(call, ready, done), broken: inStep(call, ready), client: 'took it' },
}

test('there is an example of every rule', () => {
  expect(Object.keys(examples)).toEqual(Object.keys(grammar.rules))
})

test.each(Object.entries(examples))(
  '%s has an example that keeps it, and one that breaks it and no other rule',
  (rule, { legal, broken, client }) => {
    expect([breaches(legal), reaction(legal)]).toEqual([[], 'took it'])
    expect([breaches(broken).map((breach) => breach.rule), reaction(broken)]).toEqual([[rule], client])
    const { force } = grammar.rules[rule] ?? {}
    expect(force === 'demanded' ? 'took it' : force).toBe(client)
  },
)

/** The places after which a client may come back, by number of the event. */
function resting(events: readonly FlatEvent[]): number[] {
  const check = checkGrammar(grammar)
  return events.flatMap((event, index) => {
    check.push(event)
    return check.atRest() ? [index] : []
  })
}

test('a client may come back after the start and after each step', () => {
  expect(resting([start, step('m'), text, call, ready, output, done, end, step('n'), text, end, finish])).toEqual([
    0, 7, 10,
  ])
})

test('it may not while a call of the step has no result, or patches have not been told as a whole', () => {
  const patch: FlatEvent = { event_type: 'state_delta', delta: [] }
  const state: FlatEvent = { event_type: 'state_snapshot', snapshot: {} }
  expect(resting([start, step('m'), call, ready, end, done])).toEqual([0, 5])
  expect(resting([start, patch, step('m'), text, end, state])).toEqual([0, 5])
})

test.each<[string, readonly FlatEvent[]]>([
  [
    'a call of an earlier segment that is answered',
    [start, { event_type: 'tool_call_resumed', target_id: 'c', result: 3 }, finish],
  ],
  ['a call of an earlier segment that still waits', [start, pend, wait]],
  ['a call that waits', [start, step('m'), call, ready, pend, end, wait]],
  [
    'a call that a late joiner is told of',
    [
      start,
      {
        event_type: 'messages_snapshot',
        messages: [{ id: 'a', role: 'assistant', content: [], tool_calls: [{ id: 'c', name: 'sum', arguments: {} }] }],
      },
      output,
      done,
      finish,
    ],
  ],
])('%s is within the rules', (_name, events) => {
  expect([breaches(events), reaction(events)]).toEqual([[], 'took it'])
})

test('ids reach no prototype', () => {
  const id = '__proto__'
  expect(breaches(inStep({ ...call, id }, { ...ready, id }, { ...done, id }))).toEqual([])
})
