/** Which call may be shown before its fact, and when a client is to run one. */
import { type Delta, type Disposition, type Fact, type Message } from '@factwire/core'
import { expect, test } from 'vitest'
import { type OpenAiResponsesOptions, transcoder, type WrittenFrame } from '../src/index.ts'

const RUN = { threadId: 't', runId: 'r' }
const OPTIONS: OpenAiResponsesOptions = { clientTools: ['choose'] }

const args = (id: string, name: string, args_delta: string, disposition?: Disposition): Delta => ({
  type: 'tool_call_delta',
  id,
  name,
  args_delta,
  ...(disposition ? { disposition } : {}),
})

function session(options = OPTIONS): {
  delta(delta: Delta): string[]
  fact(fact: Fact): string[]
  settled(): string[]
} {
  const target = transcoder(RUN, options)
  target.fact({ type: 'run_started' })
  const kinds = (frames: readonly WrittenFrame[]): string[] =>
    frames.flatMap((frame) => (typeof frame === 'string' ? [] : [frame.type.replace('response.', '')]))
  return {
    delta: (delta) => kinds(target.delta(delta)),
    fact: (fact) => kinds(target.fact(fact)),
    settled: () => kinds(target.settled()),
  }
}

const made = (id: string, name: string, disposition: Disposition): Fact => ({
  type: 'tool_call',
  id,
  name,
  input: {},
  disposition,
  message_id: 'm',
})
const waits = (kind: 'client' | 'approval', ...ids: string[]): Fact => ({
  type: 'awaiting',
  pending_tool_use_id: ids[0] ?? null,
  pending: ids.map((tool_use_id) => ({ tool_use_id, kind })),
})

test('a call of a tool that the client brought is shown while it is written, and is the client’s when the run waits', () => {
  const { delta, fact, settled } = session()
  expect(delta(args('c', 'choose', '{'))).toEqual(['output_item.added', 'function_call_arguments.delta'])
  expect(delta(args('c', 'choose', '}'))).toEqual(['function_call_arguments.delta'])
  expect(fact(made('c', 'choose', 'pending_client'))).toEqual(['function_call_arguments.done'])
  expect(settled()).toEqual([])
  expect(fact(waits('client', 'c'))).toEqual(['output_item.done', 'completed'])
})

test('a call that the agent is known to run is shown while it is written', () => {
  const { delta, fact } = session()
  expect(delta(args('c', 'look_up', '{', 'executed'))).toEqual([
    'output_item.added',
    'mcp_call.in_progress',
    'mcp_call_arguments.delta',
  ])
  expect(fact(made('c', 'look_up', 'executed'))).toEqual(['mcp_call_arguments.delta', 'mcp_call_arguments.done'])
  expect(fact({ type: 'tool_result', id: 'c', content: [], is_error: false })).toEqual([
    'mcp_call.completed',
    'output_item.done',
  ])
})

test.each([undefined, 'pending_builtin' as const])(
  'a call is not shown before anybody knows whether it will be run (%s)',
  (disposition) => {
    const { delta, fact } = session()
    expect(delta(args('c', 'remove', '{}', disposition))).toEqual([])
    expect(fact(made('c', 'remove', 'pending_builtin'))).toEqual([])
    expect(fact(waits('approval', 'c'))).toEqual(['output_item.added', 'output_item.done', 'completed'])
  },
)

test('calls that are written at once are shown at once', () => {
  const { delta } = session()
  delta(args('a', 'choose', '{'))
  expect(delta(args('b', 'choose', '{'))).toEqual(['output_item.added', 'function_call_arguments.delta'])
  expect(delta(args('a', 'choose', '}'))).toEqual(['function_call_arguments.delta'])
})

test('a call of the client that is given up ends the stream: a client may have shown it', () => {
  const { delta } = session()
  delta(args('c', 'choose', '{'))
  expect(delta({ type: 'tool_call_cancelled', id: 'c', name: 'choose', reason: 'lost' })).toEqual(['failed'])
})

test('a run that finishes and has offered a call to its client is no success', () => {
  const { delta, fact } = session()
  delta(args('c', 'choose', '{}'))
  fact(made('c', 'choose', 'pending_client'))
  fact({ type: 'tool_result', id: 'c', content: [], is_error: true })
  expect(fact({ type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } })).toEqual(['failed'])
})

test('a call that somebody agreed to within the same response is one that ran', () => {
  const { fact } = session()
  fact(made('c', 'remove', 'pending_builtin'))
  expect(fact({ type: 'tool_result', id: 'c', content: [], is_error: false })).toEqual([
    'output_item.added',
    'mcp_call.in_progress',
    'mcp_call_arguments.delta',
    'mcp_call_arguments.done',
    'mcp_call.completed',
    'output_item.done',
  ])
})

test('the result of a call that nobody knows is told to nobody', () => {
  const { fact } = session()
  expect(fact({ type: 'tool_result', id: 'x', content: [], is_error: false })).toEqual([])
  expect(fact(waits('client', 'x'))).toEqual(['failed'])
})

test('what was thought ends where something else is said, and is not told where nobody is to see it', () => {
  const { delta } = session()
  expect(delta({ type: 'reasoning_delta', delta: 'hm' })).toEqual([
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
  ])
  expect(delta({ type: 'text_delta', delta: 'Hi' })).toEqual([
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
  ])
  expect(session({ reasoning: false }).delta({ type: 'reasoning_delta', delta: 'hm' })).toEqual([])
})

test('encrypted reasoning is told to a client that asked for it', () => {
  const told = (options: OpenAiResponsesOptions): unknown => {
    const target = transcoder(RUN, options)
    target.fact({ type: 'run_started' })
    const frames = target.fact({ type: 'assistant_thinking', message_id: 'm', text: '', encrypted: 'sealed' })
    return frames.flatMap((frame) => (typeof frame === 'object' && 'item' in frame ? [frame.item] : []))
  }
  expect(told({})).toEqual([])
  expect(told({ encryptedReasoning: true })).toMatchObject([
    {},
    { id: 'rs_m', summary: [], encrypted_content: 'sealed' },
  ])
})

test('who joins is told of an earlier call with the id of one that is asked about', () => {
  const called = (id: string, name: string): Message => ({
    id,
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'c', name, input: {} }],
  })
  const found: Message = {
    id: 'm1',
    role: 'tool',
    content: [{ type: 'tool_result', tool_use_id: 'c', is_error: false, content: [{ type: 'text', text: 'x' }] }],
  }
  const target = transcoder(RUN, OPTIONS, {
    committed: {
      messages: [called('m0', 'look_up'), found, called('m2', 'ask')],
      standing: { state: { type: 'running' }, openCalls: [{ id: 'c', name: 'ask', message_id: 'm2' }] },
      pending: [{ tool_use_id: 'c', kind: 'client' }],
    },
    open: [],
  })
  const frames = [...target.settled(), ...target.fact(waits('client', 'c'))]
  const ended = frames.flatMap((frame) => (typeof frame !== 'string' && 'item' in frame ? [frame] : []))
  expect(ended.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)).toMatchObject([
    { type: 'mcp_call', name: 'look_up', output: 'x' },
    { type: 'function_call', name: 'ask' },
  ])
})
