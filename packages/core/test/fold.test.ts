import {
  type Commit,
  type ContentBlock,
  type EndCause,
  type Fact,
  FactwireError,
  factEvent,
  fold,
  type FoldOptions,
  type Message,
  type Pending,
  type RunState,
  type Standing,
} from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commit as anyCommit } from './arbitraries.ts'

// ── Short ways to write threads ──

const NEW: Standing = { openCalls: [] }
const running: RunState = { type: 'running' }
const awaiting: RunState = { type: 'awaiting' }
const RUNNING: Standing = { state: running, openCalls: [] }
const ended = (cause: EndCause): RunState => ({ type: 'ended', cause })

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const call = (id: string, name = 'read'): ContentBlock => ({ type: 'tool_use', id, name, input: { path: 'x' } })
const result = (id: string, value = 'ok'): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [text(value)],
  is_error: false,
})
const assistant = (id: string, ...content: ContentBlock[]): Message => ({ id, role: 'assistant', content })
const tool = (id: string, ...content: ContentBlock[]): Message => ({ id, role: 'tool', content })

function factsOf(commit: Partial<Commit>, before: Standing = RUNNING, options?: FoldOptions): readonly Fact[] {
  return fold({ messages: [], state: running, ...commit }, before, options).facts
}

/** The facts of several commits in a row, as `type` or `type:id`. */
function outline(...commits: Partial<Commit>[]): string[] {
  let standing = NEW
  return commits.flatMap((commit) => {
    const { facts, after } = fold({ messages: [], state: running, ...commit }, standing)
    standing = after
    return facts.map((fact) => {
      if ('id' in fact) return `${fact.type}:${fact.id}`
      return fact.type === 'step_ended' ? `${fact.type}:${fact.message_id}` : fact.type
    })
  })
}

// ── The first version's bytes ──

test('gives the first version, byte for byte, without additions', () => {
  const whole: Partial<Commit>[] = [
    {},
    {
      messages: [
        assistant('ru-1-assistant-0', { type: 'thinking', text: 'hmm', signature: 's' }, text('Sure.'), {
          type: 'tool_use',
          id: 'c1',
          name: 'read',
          input: { path: 'x' },
          raw_input: '{ "path": "x" }',
        }),
      ],
      inference: { model: 'm', usage: { prompt_tokens: 1 }, duration_ms: 2 },
    },
    {
      messages: [
        tool('t', {
          type: 'tool_result',
          tool_use_id: 'c1',
          content: [text('ok')],
          is_error: false,
          data: { n: 1 },
          denied: true,
        }),
      ],
      snapshot: { n: 1 },
      activities: [{ message_id: 'a', activity_type: 'b', content: null }],
    },
    { continuation: { steered: true, detail: { reason: 'auto' } } },
    { state: awaiting, pending: [{ tool_use_id: 'c1', kind: 'client' }] },
    { state: awaiting },
    { state: ended({ type: 'stopped', code: 'budget' }), result: 'r' },
  ]
  let standing = NEW
  const lines = whole.flatMap((commit) => {
    const { facts, after } = fold({ messages: [], state: running, ...commit }, standing, { additions: false })
    standing = after
    return facts.map((fact) => JSON.stringify(factEvent(fact)))
  })
  expect(lines).toStrictEqual([
    '{"tier":"fact","event":{"type":"run_started"}}',
    '{"tier":"fact","event":{"type":"assistant_thinking"}}',
    '{"tier":"fact","event":{"type":"assistant_message","id":"ru-1-assistant-0","content":[{"type":"text","text":"Sure."}]}}',
    '{"tier":"fact","event":{"type":"tool_call","id":"c1","name":"read","input":{"path":"x"},"disposition":"executed"}}',
    '{"tier":"fact","event":{"type":"tool_result","id":"c1","content":[{"type":"text","text":"ok"}],"is_error":false}}',
    '{"tier":"fact","event":{"type":"continuation","steered":true,"detail":{"reason":"auto"}}}',
    '{"tier":"fact","event":{"type":"awaiting","pending_tool_use_id":"c1"}}',
    '{"tier":"fact","event":{"type":"run_started"}}',
    '{"tier":"fact","event":{"type":"awaiting","pending_tool_use_id":null}}',
    '{"tier":"fact","event":{"type":"run_started"}}',
    '{"tier":"fact","event":{"type":"run_finished","exhausted":false}}',
  ])
})

// ── Messages ──

test('says nothing about user and system messages', () => {
  const messages: Message[] = [
    { id: 'u', role: 'user', content: [text('hi')] },
    { id: 's', role: 'system', content: [text('be nice')] },
  ]
  expect(factsOf({ messages }, NEW)).toStrictEqual([{ type: 'run_started' }])
  expect(factsOf({ messages }, RUNNING)).toStrictEqual([])
})

test('gives thinking, text and calls of a message in this order, however they stand in it', () => {
  const message = assistant('m', call('c1'), text('a'), call('c2'), { type: 'thinking', text: 'hmm' }, text('b'))
  expect(outline({ messages: [message] })).toStrictEqual([
    'run_started',
    'assistant_thinking',
    'assistant_message:m',
    'tool_call:c1',
    'tool_call:c2',
  ])
})

test('gives one thinking fact for a message, with its id and no content', () => {
  const thought: ContentBlock = { type: 'thinking', text: 'hmm', signature: 's', encrypted: 'e' }
  expect(factsOf({ messages: [assistant('m', thought, thought)] })).toStrictEqual([
    { type: 'assistant_thinking', message_id: 'm' },
    { type: 'step_ended', message_id: 'm' },
  ])
})

test('carries what was thought when told to, with the last signature', () => {
  const messages = [
    assistant(
      'm',
      { type: 'thinking', text: 'one ', signature: 's1', encrypted: 'e1' },
      { type: 'thinking', text: 'two', signature: 's2' },
    ),
  ]
  expect(factsOf({ messages }, RUNNING, { reasoning: 'text' })[0]).toStrictEqual({
    type: 'assistant_thinking',
    message_id: 'm',
    text: 'one two',
    signature: 's2',
    encrypted: 'e1',
  })
  expect(factsOf({ messages }, RUNNING, { reasoning: 'text', additions: false })[0]).toStrictEqual({
    type: 'assistant_thinking',
  })
})

test('gives a message only its text blocks, empty ones among others included', () => {
  const image: ContentBlock = { type: 'image', source: { type: 'url', url: 'u' } }
  const [fact] = factsOf({ messages: [assistant('m', text(''), image, text('a'), { type: 'redacted' })] })
  expect(fact).toStrictEqual({ type: 'assistant_message', id: 'm', content: [text(''), text('a')] })
})

test('gives no message whose text is empty, and takes white space for text', () => {
  expect(outline({ messages: [assistant('m', text(''), text(''))] })).not.toContain('assistant_message:m')
  expect(outline({ messages: [assistant('m', text(' '))] })).toContain('assistant_message:m')
})

test('gives several messages of one commit in their order, each with its step', () => {
  const messages = [
    assistant('m1', text('a'), call('c1')),
    tool('t1', result('c1')),
    assistant('m2', text('b'), call('c2')),
    tool('t2', result('c2')),
    assistant('m3', text('c')),
  ]
  expect(outline({ messages, state: ended({ type: 'natural_end' }) })).toStrictEqual([
    'run_started',
    'assistant_message:m1',
    'tool_call:c1',
    'tool_result:c1',
    'step_ended:m1',
    'assistant_message:m2',
    'tool_call:c2',
    'tool_result:c2',
    'step_ended:m2',
    'assistant_message:m3',
    'step_ended:m3',
    'run_finished',
  ])
})

// ── Calls and results ──

test('fills in where a call stands and what its text was', () => {
  const messages = [assistant('m', { type: 'tool_use', id: 'c', name: 'f', input: null, raw_input: '{"a' })]
  expect(factsOf({ messages })[0]).toStrictEqual({
    type: 'tool_call',
    id: 'c',
    name: 'f',
    input: null,
    disposition: 'executed',
    message_id: 'm',
    raw_input: '{"a',
  })
})

test('takes the disposition of a call from any entry of pending that names it', () => {
  const pending: Pending[] = [
    { tool_use_id: 'c3', kind: 'approval' },
    { tool_use_id: 'c1', kind: 'client' },
    { tool_use_id: 'other', kind: 'client' },
  ]
  const messages = [assistant('m', call('c1'), call('c2'), call('c3'))]
  for (const state of [awaiting, running]) {
    const dispositions = factsOf({ messages, pending, state }).flatMap((fact) =>
      fact.type === 'tool_call' ? `${fact.id} ${fact.disposition}` : [],
    )
    expect(dispositions).toStrictEqual(['c1 pending_client', 'c2 executed', 'c3 pending_builtin'])
  }
})

test('gives one fact for each result block, with the name of its call and the id of its message', () => {
  const before: Standing = { state: running, openCalls: [{ id: 'c1', name: 'read', message_id: 'm' }] }
  const messages = [
    tool('t', result('c1'), {
      type: 'tool_result',
      tool_use_id: 'stranger',
      content: [],
      is_error: true,
      data: null,
      denied: true,
      cancelled: false,
    }),
  ]
  expect(factsOf({ messages }, before)).toStrictEqual([
    { type: 'tool_result', id: 'c1', content: [text('ok')], is_error: false, message_id: 't', name: 'read' },
    {
      type: 'tool_result',
      id: 'stranger',
      content: [],
      is_error: true,
      message_id: 't',
      data: null,
      denied: true,
      cancelled: false,
    },
    { type: 'step_ended', message_id: 'm' },
  ])
})

test('ends the step of every message with the last result of its calls', () => {
  expect(
    outline(
      { messages: [assistant('m1', call('c1'), call('c2'))] },
      { messages: [assistant('m2', text('b')), assistant('m3', call('c3'))] },
      { messages: [tool('t1', result('c1'))] },
      { messages: [tool('t3', result('c3'))] },
      { messages: [tool('t2', result('c2'))] },
    ),
  ).toStrictEqual([
    'run_started',
    'tool_call:c1',
    'tool_call:c2',
    'assistant_message:m2',
    'step_ended:m2',
    'tool_call:c3',
    'tool_result:c1',
    'tool_result:c3',
    'step_ended:m3',
    'tool_result:c2',
    'step_ended:m1',
  ])
})

test('gives nothing that was added inside a result without additions', () => {
  const added: ContentBlock[] = [
    { type: 'tool_use', id: 'x', name: 'f', input: 1, raw_input: ' 1' },
    { type: 'thinking', text: 'hm', signature: 's', encrypted: 'e' },
    {
      type: 'tool_result',
      tool_use_id: 'x',
      content: [{ type: 'tool_result', tool_use_id: 'y', content: [], is_error: true, denied: true }],
      is_error: false,
      data: 1,
      cancelled: true,
    },
  ]
  const block: ContentBlock = { type: 'tool_result', tool_use_id: 'c', content: added, is_error: false }
  expect(factsOf({ messages: [tool('t', block)] }, RUNNING, { additions: false })).toStrictEqual([
    {
      type: 'tool_result',
      id: 'c',
      content: [
        { type: 'tool_use', id: 'x', name: 'f', input: 1 },
        { type: 'thinking', text: 'hm', signature: 's' },
        {
          type: 'tool_result',
          tool_use_id: 'x',
          content: [{ type: 'tool_result', tool_use_id: 'y', content: [], is_error: true }],
          is_error: false,
        },
      ],
      is_error: false,
    },
  ])
})

test('pairs results with calls of the same id by their order', () => {
  const { facts, after } = fold(
    {
      messages: [assistant('m', call('c', 'first'), call('c', 'second')), tool('t', result('c', '1'))],
      state: running,
    },
    RUNNING,
  )
  expect(facts.at(-1)).toMatchObject({ type: 'tool_result', name: 'first' })
  expect(after.openCalls).toStrictEqual([{ id: 'c', name: 'second', message_id: 'm' }])
  expect(factsOf({ messages: [tool('t2', result('c', '2'))] }, after)[0]).toMatchObject({ name: 'second' })
})

// ── Order around them ──

test('gives inference after the message and before the results, then snapshots, then the end of the step', () => {
  const commit: Partial<Commit> = {
    messages: [assistant('m', text('a'), call('c')), tool('t', result('c'))],
    inference: { model: 'm', duration_ms: 1 },
    snapshot: null,
    activities: [
      { message_id: 'a', activity_type: 'x', content: 1, replace: false },
      { message_id: 'b', activity_type: 'x', content: 2 },
    ],
    state: ended({ type: 'natural_end' }),
  }
  expect(factsOf(commit, NEW).map((fact) => fact.type)).toStrictEqual([
    'run_started',
    'assistant_message',
    'tool_call',
    'inference_completed',
    'tool_result',
    'state_snapshot',
    'activity_snapshot',
    'activity_snapshot',
    'step_ended',
    'run_finished',
  ])
})

test('gives the fields of inference and activities as they are', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  const activity = { message_id: 'a', activity_type: 'x', content: { n: 1 }, replace: true }
  expect(
    factsOf({ inference: { model: 'm', usage, duration_ms: 12 }, activities: [activity], snapshot: { n: 2 } }),
  ).toStrictEqual([
    { type: 'inference_completed', model: 'm', usage, duration_ms: 12 },
    { type: 'state_snapshot', snapshot: { n: 2 } },
    { type: 'activity_snapshot', ...activity },
  ])
})

test('gives inference once, also when the commit has no message', () => {
  const inference = { model: 'm', duration_ms: 1 }
  const messages = [tool('t1', result('x')), tool('t2', result('y'))]
  expect(factsOf({ messages, inference }).filter(({ type }) => type === 'inference_completed')).toHaveLength(1)
  expect(factsOf({ inference }).map(({ type }) => type)).toStrictEqual(['inference_completed'])
})

test('tells with a continuation what was said to the run, where it was said', () => {
  const said: Message = { id: 'u', role: 'user', content: [text('Stop!')] }
  const before: Standing = { state: running, openCalls: [{ id: 'c', name: 'f', message_id: 'm' }] }
  const continuation = { steered: true, detail: { note: 1 } }
  const result: Message = {
    id: 't',
    role: 'tool',
    content: [{ type: 'tool_result', tool_use_id: 'c', content: [], is_error: false }],
  }
  const facts = factsOf({ continuation, messages: [result, said] }, before)
  expect(facts.map(({ type }) => type)).toStrictEqual(['tool_result', 'continuation', 'step_ended'])
  expect(facts[1]).toStrictEqual({ type: 'continuation', ...continuation, messages: [said] })
})

test('puts a continuation behind the start and before everything else', () => {
  const continuation = { steered: true, detail: { note: 1 } }
  const facts = factsOf({ continuation, messages: [assistant('m', text('a'))] }, NEW)
  expect(facts.slice(0, 2)).toStrictEqual([{ type: 'run_started' }, { type: 'continuation', ...continuation }])
})

test('keeps a step open until every call of it has a result', () => {
  expect(
    outline(
      { messages: [assistant('m1', text('a'), call('c1'), call('c2'))] },
      { messages: [tool('t2', result('c2'))] },
      {},
      { messages: [tool('t1', result('c1'))] },
      { messages: [assistant('m2', text('b'))] },
    ),
  ).toStrictEqual([
    'run_started',
    'assistant_message:m1',
    'tool_call:c1',
    'tool_call:c2',
    'tool_result:c2',
    'tool_result:c1',
    'step_ended:m1',
    'assistant_message:m2',
    'step_ended:m2',
  ])
})

test('does not let an open call of an older message keep a step open', () => {
  const before: Standing = { state: running, openCalls: [{ id: 'old', name: 'f', message_id: 'm0' }] }
  expect(factsOf({ messages: [assistant('m1', text('a'))] }, before).at(-1)).toStrictEqual({
    type: 'step_ended',
    message_id: 'm1',
  })
})

// ── Starts and ends ──

test('starts a run once', () => {
  expect(outline({}, {}, { messages: [assistant('m', text('a'))] })).toStrictEqual([
    'run_started',
    'assistant_message:m',
    'step_ended:m',
  ])
})

test('starts again after awaiting, and closes the step that was left open', () => {
  expect(
    outline(
      { messages: [assistant('m', call('c'))], state: awaiting, pending: [{ tool_use_id: 'c', kind: 'client' }] },
      { messages: [tool('t', result('c'))] },
      { messages: [assistant('m2', text('b'))], state: ended({ type: 'natural_end' }) },
    ),
  ).toStrictEqual([
    'run_started',
    'tool_call:c',
    'awaiting',
    'run_started',
    'tool_result:c',
    'step_ended:m',
    'assistant_message:m2',
    'step_ended:m2',
    'run_finished',
  ])
})

test('names the first pending call and carries them all', () => {
  const pending: Pending[] = [
    { tool_use_id: 'c2', kind: 'approval', approval_id: 'a', message: 'ok?' },
    { tool_use_id: 'c1', kind: 'client' },
  ]
  expect(factsOf({ state: awaiting, pending }).at(-1)).toStrictEqual({
    type: 'awaiting',
    pending_tool_use_id: 'c2',
    pending,
  })
  expect(factsOf({ state: awaiting }).at(-1)).toStrictEqual({ type: 'awaiting', pending_tool_use_id: null })
})

test.each<[cause: EndCause, exhausted: boolean]>([
  [{ type: 'natural_end' }, false],
  [{ type: 'behavior_requested' }, false],
  [{ type: 'cancelled' }, false],
  [{ type: 'stopped', code: 'budget', detail: 'd' }, false],
  [{ type: 'blocked', reason: 'policy' }, false],
  [{ type: 'max_steps' }, true],
  [{ type: 'max_steps', code: 'length' }, true],
])('finishes for %j, exhausted: %s', (cause, exhausted) => {
  expect(factsOf({ state: ended(cause) })).toStrictEqual([{ type: 'run_finished', exhausted, cause }])
})

test('carries the result of the run, null too', () => {
  const state = ended({ type: 'natural_end' })
  expect(factsOf({ state, result: { response: 'hi' } })).toMatchObject([{ result: { response: 'hi' } }])
  expect(factsOf({ state, result: null })).toMatchObject([{ result: null }])
})

test.each<[cause: EndCause, code: string, message: string]>([
  [{ type: 'error', failure: { code: 'rate_limited', message: '429' } }, 'rate_limited', '429'],
  [{ type: 'error', failure: { code: 'rate_limited', message: '' } }, 'rate_limited', ''],
  [
    { type: 'error', failure: { code: 'capability_bound' } },
    'capability_bound',
    'the run needs a capability that it was not given',
  ],
  [{ type: 'error', failure: { code: 'state_conflict' } }, 'state_conflict', 'the state of the run changed under it'],
  [{ type: 'error', failure: { code: 'other' } }, 'other', 'the run failed'],
  [{ type: 'error', failure: { code: '__proto__' } }, '__proto__', 'the run failed'],
  [{ type: 'indeterminate' }, 'indeterminate', 'it is not known how the run ended'],
])('fails for %j', (cause, code, message) => {
  expect(factsOf({ state: ended(cause), result: 'r' })).toStrictEqual([{ type: 'run_failed', code, message }])
})

test('refuses a commit after the end', () => {
  const { after } = fold({ messages: [], state: ended({ type: 'cancelled' }) }, NEW)
  expect(() => fold({ messages: [], state: running }, after)).toThrow(FactwireError)
  expect(() => fold({ messages: [], state: running }, after)).toThrow(expect.objectContaining({ code: 'run_ended' }))
})

// ── For any commit ──

test('gives the same facts for the same commits and leaves them as they were', () => {
  fc.assert(
    fc.property(fc.array(anyCommit, { maxLength: 4 }), (commits) => {
      const before = JSON.stringify(commits)
      expect(foldAll(commits)).toStrictEqual(foldAll(commits))
      expect(JSON.stringify(commits)).toBe(before)
    }),
    { seed: 1, numRuns: 200 },
  )
})

test('starts each segment once, ends it once, and never calls the unknown a success', () => {
  fc.assert(
    fc.property(fc.array(anyCommit, { maxLength: 5 }), (commits) => {
      let open = false
      for (const { facts, commit } of foldAll(commits)) {
        const borders = facts.map((fact) => fact.type).filter((type) => BORDERS.has(type))
        expect(borders).toStrictEqual([...(open ? [] : ['run_started']), ...endOf(commit.state)])
        expect(facts.findLastIndex(({ type }) => type === 'run_started')).toBe(open ? -1 : 0)
        open = commit.state.type === 'running'
        expect(BORDERS.has(facts.at(-1)?.type ?? '') || open).toBe(true)
      }
    }),
    { seed: 1, numRuns: 300 },
  )
})

const BORDERS = new Set<string>(['run_started', 'awaiting', 'run_finished', 'run_failed'])

function endOf(state: RunState): string[] {
  if (state.type !== 'ended') return state.type === 'awaiting' ? ['awaiting'] : []
  return [state.cause.type === 'error' || state.cause.type === 'indeterminate' ? 'run_failed' : 'run_finished']
}

/** Folds as many commits as the run lasts. */
function foldAll(commits: readonly Commit[]): { readonly commit: Commit; readonly facts: readonly Fact[] }[] {
  const folded = []
  let standing = NEW
  for (const commit of commits) {
    if (standing.state?.type === 'ended') break
    const { facts, after } = fold(commit, standing)
    standing = after
    folded.push({ commit, facts })
  }
  return folded
}
