import {
  type AssistantThinking,
  type Fate,
  type Awaiting,
  decode,
  type Fact,
  factEvent,
  fateOf,
  type RunFinished,
  type ToolCallFact,
  type ToolResultFact,
  transcode,
} from '@factwire/core'
import { readSse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { agUi, fidelity } from '../src/index.ts'

const call: ToolCallFact = {
  type: 'tool_call',
  id: 'c',
  name: 'search',
  input: {},
  disposition: 'executed',
  message_id: 'm',
}
const result: ToolResultFact = {
  type: 'tool_result',
  id: 'c',
  name: 'search',
  content: [],
  is_error: false,
  message_id: 't',
}
const thought: AssistantThinking = { type: 'assistant_thinking', message_id: 'm' }
const waits: Awaiting = { type: 'awaiting', pending_tool_use_id: 'c' }
const finished: RunFinished = { type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } }
const text = (value: string): { readonly type: 'text'; readonly text: string } => ({ type: 'text', text: value })

async function read(facts: readonly Fact[]): Promise<Fact[]> {
  const bytes = async function* (): AsyncGenerator<string> {
    yield* transcode(agUi, facts.map(factEvent), { threadId: 'thread-1', runId: 'run-1' })
  }
  const back: Fact[] = []
  for await (const { tier, event } of decode(agUi, readSse(bytes()), { reasoning: 'text' })) {
    if (tier === 'fact') back.push(event)
  }
  return back
}

/** A fact, after the facts that it needs and before an end. */
const cases: readonly (readonly [string, Fate['kept'], Fact, (readonly Fact[])?])[] = [
  ['a start', 'exact', { type: 'run_started' }],
  ['a text', 'exact', { type: 'assistant_message', id: 'm', content: [text('Hi.')] }],
  ['two texts', 'lossy', { type: 'assistant_message', id: 'm', content: [text('Hi.'), text('Ho.')] }],
  ['a thought', 'exact', { ...thought, text: 'Hm.' }],
  ['a signed thought', 'exact', { ...thought, text: 'Hm.', signature: 's' }],
  ['a thought with an encrypted part', 'exact', { ...thought, text: 'Hm.', encrypted: 'e', signature: 's' }],
  ['a thought that is only encrypted', 'lossy', { ...thought, encrypted: 'e' }],
  ['an empty thought that is encrypted', 'exact', { ...thought, text: '', encrypted: 'e' }],
  ['a thought of nobody', 'lossy', { type: 'assistant_thinking', text: 'Hm.' }],
  ['a thought without words', 'dropped', thought],
  ['a call', 'exact', call],
  ['a call in its own characters', 'exact', { ...call, input: { a: 1 }, raw_input: '{ "a": 1.0 }' }],
  ['a call that does not parse', 'exact', { ...call, input: null, raw_input: '{"a":' }],
  ['a call whose text is not its input', 'lossy', { ...call, input: { a: 2 }, raw_input: '{"a":1}' }],
  [
    'a call without a message',
    'lossy',
    { type: 'tool_call', id: 'c', name: 'search', input: {}, disposition: 'executed' },
  ],
  ['a result without content', 'exact', result, [call]],
  ['a result with everything', 'exact', { ...result, is_error: true, denied: true, data: [1] }, [call]],
  ['a cancelled result', 'exact', { ...result, is_error: true, cancelled: true }, [call]],
  [
    'a result with a picture and a document',
    'exact',
    {
      ...result,
      content: [
        text(''),
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        { type: 'document', source: { type: 'text', media_type: 'text/csv', data: 'a,b' }, title: 'T', context: 'C' },
        { type: 'search_result', source: 'https://example.com', title: 'T', content: [text('found')] },
      ],
    },
    [call],
  ],
  ['a result with an empty text', 'lossy', { ...result, content: [text('')] }, [call]],
  [
    'a result that names no tool',
    'lossy',
    { type: 'tool_result', id: 'c', content: [], is_error: false, message_id: 't' },
    [call],
  ],
  ['a wait for a client', 'exact', { ...waits, pending: [{ tool_use_id: 'c', kind: 'client' }] }, [call]],
  [
    'a wait for a client that is told more',
    'exact',
    {
      ...waits,
      pending: [{ tool_use_id: 'c', kind: 'client', message: 'Which?', expires_at: '2030-01-01T00:00:00Z' }],
    },
    [call],
  ],
  [
    'a wait for an approval',
    'exact',
    {
      ...waits,
      pending: [
        {
          tool_use_id: 'c',
          kind: 'approval',
          approval_id: 'p',
          message: 'May I?',
          parameters: [1],
          response_schema: {},
        },
      ],
    },
    [call],
  ],
  [
    'a wait for an approval that has the id of its call',
    'exact',
    { ...waits, pending: [{ tool_use_id: 'c', kind: 'approval', approval_id: 'c', response_schema: true }] },
    [call],
  ],
  ['a wait for nobody', 'exact', { type: 'awaiting', pending_tool_use_id: null, pending: [] }],
  ['a wait that does not say for whom', 'lossy', waits, [call]],
  ['that it was steered', 'dropped', { type: 'continuation', steered: true, detail: {} }],
  ['an end', 'exact', finished],
  ['an end with a result', 'exact', { ...finished, result: { a: [] } }],
  ['an end with a null result', 'lossy', { ...finished, result: null }],
  ['an end without a cause', 'lossy', { type: 'run_finished', exhausted: false }],
  ['a cancelled run', 'exact', { ...finished, cause: { type: 'cancelled' } }],
  [
    'a run that used up its steps',
    'exact',
    { ...finished, exhausted: true, cause: { type: 'max_steps', code: 'length' } },
  ],
  ['a stopped run', 'exact', { ...finished, cause: { type: 'stopped', code: 'budget', detail: 'none left' } }],
  ['a failure', 'exact', { type: 'run_failed', code: 'rate_limited', message: '429' }],
  ['the end of a silent step', 'lossy', { type: 'step_ended', message_id: 'm' }],
  ['a model call', 'lossy', { type: 'inference_completed', model: 'm', usage: { prompt_tokens: 1 }, duration_ms: 5 }],
  ['a model call without usage', 'dropped', { type: 'inference_completed', model: 'm', duration_ms: 5 }],
  ['a state', 'exact', { type: 'state_snapshot', snapshot: null }],
  ['an activity', 'exact', { type: 'activity_snapshot', message_id: 'a', activity_type: 'PLAN', content: {} }],
  [
    'an activity that only begins',
    'exact',
    { type: 'activity_snapshot', message_id: 'a', activity_type: 'PLAN', content: {}, replace: false },
  ],
  [
    'an activity that is no object',
    'lossy',
    { type: 'activity_snapshot', message_id: 'a', activity_type: 'PLAN', content: 1 },
  ],
]

for (const [name, fate, fact, before = []] of cases) {
  test(`${name} is ${fate}, as the fidelity says`, async () => {
    const started: readonly Fact[] = fact.type === 'run_started' ? [] : [{ type: 'run_started' }]
    const back = await read([...started, ...before, fact, finished])
    expect(fateOf(fidelity, fact).kept).toBe(fate)
    expect(back.some((other) => JSON.stringify(sorted(other)) === JSON.stringify(sorted(fact)))).toBe(fate === 'exact')
  })
}

/** With its keys in order: which come first says nothing. */
const sorted = (fact: Fact): unknown => Object.entries(fact).toSorted(([one], [other]) => (one < other ? -1 : 1))

test('results that are stored in one message come back in one', async () => {
  const other: Fact = { ...call, id: 'd' }
  const results: readonly Fact[] = [result, { ...result, id: 'd' }]
  const back = await read([{ type: 'run_started' }, call, other, ...results, finished])
  expect(back.filter(({ type }) => type === 'tool_result')).toEqual(results)
})
