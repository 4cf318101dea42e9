import type { RunState } from '@factwire/core'
import { objection, type SceneName } from '@factwire/provider'
import { history } from '@factwire/openai-chat'
import { expect, test } from 'vitest'
import { askable } from '../src/index.ts'
import { CHOOSE, outline, RUN, said, world, type World } from './agent.ts'
import { patiently } from './clock.ts'
import { type MemoryStore, memoryStore, refolded } from './store.ts'

async function play(scene: SceneName): Promise<{ store: MemoryStore; state: RunState } & World> {
  const made = world(scene)
  const store = memoryStore()
  const run = made.agent.run({
    ...RUN,
    thread: store.thread(),
    messages: [said('Go.')],
    clientTools: [CHOOSE],
    output: store,
  })
  return { ...made, store, state: await patiently(made.clock, run.over) }
}

const natural: RunState = { type: 'ended', cause: { type: 'natural_end' } }
const failed = (code: string): object => ({ type: 'ended', cause: { type: 'error', failure: { code } } })
const lookedUp = (id: string, city: string): string => `${id}: {"city":"${city}","degrees":${city.length}}`

test.each<[SceneName, object, readonly string[]]>([
  ['text', natural, ['assistant: Hello 🌍.']],
  ['reasoning', natural, ['assistant thinks: The user greets.', 'assistant: Hello.']],
  ['no-mark', natural, ['assistant: Hello.']],
  ['slow', natural, ['assistant: Wait for it.']],
  [
    'parallel-tools',
    natural,
    [
      'assistant: Let me see.',
      'calls call_a look_up {"city":"Oslo"}',
      'calls call_b look_up {"city":"Rome"}',
      lookedUp('call_a', 'Oslo'),
      lookedUp('call_b', 'Rome'),
      'assistant: It is done.',
    ],
  ],
  ['approval', { type: 'awaiting' }, ['assistant: I will remove it.', 'calls call_r remove {"path":"/tmp/x"}']],
  ['client-tool', { type: 'awaiting' }, ['assistant: Which?', 'calls call_c choose {"of":["red","blue"]}']],
  [
    'mixed',
    { type: 'awaiting' },
    [
      'calls call_a look_up {"city":"Oslo"}',
      'calls call_r remove {"path":"/tmp/x"}',
      'calls call_s remove {"path":"/tmp/y"}',
      'calls call_c choose {"of":["red","blue"]}',
      lookedUp('call_a', 'Oslo'),
    ],
  ],
  [
    'repeated-ids',
    natural,
    [
      'calls call_0 look_up {"city":"Oslo"}',
      'calls call_0-2 look_up {"city":"Rome"}',
      lookedUp('call_0', 'Oslo'),
      lookedUp('call_0-2', 'Rome'),
      'calls call_0-3 look_up {"city":"Bern"}',
      lookedUp('call_0-3', 'Bern'),
      'assistant: It is done.',
    ],
  ],
  [
    'malformed-arguments',
    natural,
    [
      'calls call_a look_up {"city":"Os',
      'call_a failed: The arguments are not valid JSON: {"city":"Os',
      'assistant: It is done.',
    ],
  ],
  [
    'no-object',
    natural,
    [
      'calls call_a look_up "Oslo"',
      'call_a failed: The arguments have to be a JSON object, and are "Oslo"',
      'assistant: It is done.',
    ],
  ],
  ['no-arguments', natural, ['calls call_n now {}', 'call_n: ', 'assistant: It is done.']],
  [
    'unknown-tool',
    natural,
    ['calls call_u fly {}', 'call_u failed: There is no tool "fly".', 'assistant: It is done.'],
  ],
  [
    'invented-name',
    natural,
    ['calls call_u my tool! {}', 'call_u failed: There is no tool "my tool!".', 'assistant: It is done.'],
  ],
  ['failing-tool', natural, ['calls call_f fail {}', 'call_f failed: disk full', 'assistant: It is done.']],
  [
    'hanging-tool',
    natural,
    [
      'calls call_h hang {}',
      'call_h failed: The tool was given up: no result within 5000 ms.',
      'assistant: It is done.',
    ],
  ],
  ['rate-limited', natural, ['assistant: Here.']],
  ['server-error', natural, ['assistant: Here.']],
  ['always-failing', failed('provider_error'), []],
  ['unauthorized', failed('unauthorized'), []],
  ['too-long', failed('context_overflow'), []],
  ['no-quota', failed('quota_exhausted'), []],
  ['markup', natural, ['assistant: Here.']],
  ['empty', natural, ['assistant: Here.']],
  ['silent-at-first', natural, ['assistant: Here.']],
  ['cut-at-first', natural, ['assistant: Here.']],
  ['cost-only', natural, ['assistant: Here.']],
  ['cut-text', natural, ['assistant: Once upon a time, a fox slept.']],
  ['cut-always', failed('stream_interrupted'), ['assistant: Once Once Once ']],
  ['cut-thought', natural, ['assistant thinks: Ah.', 'assistant: Yes.']],
  [
    'cut-in-call',
    natural,
    ['calls call_a-2 look_up {"city":"Oslo"}', lookedUp('call_a-2', 'Oslo'), 'assistant: It is done.'],
  ],
  [
    'cut-text-in-call',
    natural,
    [
      'assistant: I look. Now.',
      'calls call_a-2 look_up {"city":"Oslo"}',
      lookedUp('call_a-2', 'Oslo'),
      'assistant: It is done.',
    ],
  ],
  [
    'cut-after-call',
    natural,
    ['calls call_a look_up {"city":"Oslo"}', lookedUp('call_a', 'Oslo'), 'assistant: It is done.'],
  ],
  ['silent-text', natural, ['assistant: Once upon a time.']],
  ['error-in-band', natural, ['assistant: Once upon a time.']],
  ['refused-in-band', failed('invalid_request'), ['assistant: Once upon ']],
  ['cut-by-length', { type: 'ended', cause: { type: 'max_steps', code: 'length' } }, ['assistant: Once ']],
  ['filtered', { type: 'ended', cause: { type: 'blocked', reason: 'content_filter' } }, ['assistant: Once ']],
  ['garbage', natural, ['assistant: Once upon a time.']],
  ['unknown-finish', natural, ['assistant: Once upon a time.']],
])('%s', async (scene, state, thread) => {
  const played = await play(scene)
  expect(played.state).toMatchObject(state)
  expect(outline(played.store.thread().messages)).toEqual(['user: Go.', ...thread])
  expect(refolded(played.store.commits)).toEqual(played.store.facts())
  // No request was refused for its shape, and neither would the next be.
  const next = [...played.store.thread().messages, said('And now?')]
  expect(objection({ stream: true, messages: history({ messages: askable(next) }) })).toBeUndefined()
  for (const request of played.provider.requests) expect(objection(request)).toBeUndefined()
})
