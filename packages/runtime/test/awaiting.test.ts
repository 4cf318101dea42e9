import type { Committed, Decision, Fact, Message } from '@factwire/core'
import { expect, test } from 'vitest'
import { type AgentOptions, memoryJournal } from '../src/index.ts'
import { CHOOSE, no, outline, RUN, said, world, type World, yes } from './agent.ts'
import { patiently } from './clock.ts'
import { type MemoryStore, memoryStore } from './store.ts'

interface Given {
  readonly messages?: readonly Message[]
  readonly decisions?: readonly Decision[]
  readonly tools?: boolean
}

interface Played extends World {
  readonly store: MemoryStore
  /** The facts of one more segment. */
  go(given?: Given, thread?: Committed): Promise<readonly Fact[]>
}

function playing(scene: string, options: Partial<AgentOptions> = {}): Played {
  const made = world(scene, options)
  const store = memoryStore()
  return {
    ...made,
    store,
    async go({ messages = [], decisions = [], tools = true } = {}, thread = store.thread()) {
      const before = store.facts().length
      const clientTools = tools ? [CHOOSE] : []
      await patiently(
        made.clock,
        made.agent.run({ ...RUN, thread, messages, decisions, clientTools, output: store }).over,
      )
      return store.facts().slice(before)
    },
  }
}

const result = (id: string, text: string, messageId = `result-${id}`): Message => ({
  id: messageId,
  role: 'tool',
  content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }], is_error: false }],
})

const told = ({ store }: Played): readonly string[] => outline(store.thread().messages)
const waitingFor = (facts: readonly Fact[]): readonly string[] | undefined => {
  const last = facts.at(-1)
  return last?.type === 'awaiting' ? last.pending?.map(({ tool_use_id }) => tool_use_id) : undefined
}

test('a call that needs approval is told as such, with what is asked', async () => {
  const { go } = playing('approval')
  const facts = await go({ messages: [said('Go.')] })
  expect(facts.find(({ type }) => type === 'tool_call')).toMatchObject({ disposition: 'pending_builtin' })
  expect(facts.at(-1)).toMatchObject({
    type: 'awaiting',
    pending: [{ tool_use_id: 'call_r', kind: 'approval', message: 'Remove /tmp/x?' }],
  })
})

test('a yes runs the tool, which hears of it, and the model goes on', async () => {
  const played = playing('approval')
  await played.go({ messages: [said('Go.')] })
  const facts = await played.go({ decisions: [yes('call_r')] })
  expect(facts.map(({ type }) => type)).toEqual([
    'run_started',
    'continuation',
    'tool_result',
    'step_ended',
    'assistant_message',
    'inference_completed',
    'step_ended',
    'run_finished',
  ])
  expect(played.trace).toEqual(['remove call_r /tmp/x true'])
})

test('a no is a result that says so, in the words of whoever said it', async () => {
  const played = playing('approval')
  await played.go({ messages: [said('Go.')] })
  await played.go({ decisions: [no('call_r', 'too dangerous')] })
  expect(told(played)).toContain('call_r denied: The call was denied. They said: too dangerous')
  expect(played.trace).toEqual([])
})

test('those that are not decided go on waiting, and each is settled as it is decided', async () => {
  const played = playing('mixed')
  expect(waitingFor(await played.go({ messages: [said('Go.')] }))).toEqual(['call_r', 'call_s', 'call_c'])
  expect(waitingFor(await played.go({ decisions: [yes('call_s')] }))).toEqual(['call_r', 'call_c'])
  expect(waitingFor(await played.go({ messages: [result('call_c', 'red')] }))).toEqual(['call_r'])
  expect(waitingFor(await played.go({ decisions: [no('call_r')] }))).toBeUndefined()
  expect(played.trace).toEqual(['look_up call_a Oslo', 'remove call_s /tmp/y true'])
  expect(told(played).slice(5)).toEqual([
    'call_a: {"city":"Oslo","degrees":4}',
    'call_s: removed',
    'call_c: red',
    'call_r denied: The call was denied.',
    'assistant: It is done.',
  ])
})

test('a decision counts once, and the first word is the one', async () => {
  const played = playing('mixed')
  await played.go({ messages: [said('Go.')] })
  const facts = await played.go({ decisions: [yes('call_r'), no('call_r')] })
  expect(facts.find(({ type }) => type === 'continuation')).toMatchObject({
    detail: { decisions: [{ tool_use_id: 'call_r', approved: true }] },
  })
  await played.go({ decisions: [yes('call_r'), no('call_s')] })
  expect(played.trace).toEqual(['look_up call_a Oslo', 'remove call_r /tmp/x true'])
})

test('a decision that is on its way twice, in two processes, is carried out once', async () => {
  const journal = memoryJournal()
  const [one, other] = [playing('approval', { journal }), playing('approval', { journal })]
  await one.go({ messages: [said('Go.')] })
  const thread = one.store.thread()
  await Promise.all([one.go({ decisions: [yes('call_r')] }), other.go({ decisions: [yes('call_r')] }, thread)])
  expect([...one.trace, ...other.trace]).toEqual(['remove call_r /tmp/x true'])
})

test('of two words that two processes kept, the first counts', async () => {
  const journal = memoryJournal()
  const played = playing('approval', { journal })
  await played.go({ messages: [said('Go.')] })
  await journal.add('run-1', [
    { type: 'decided', decision: no('call_r') },
    { type: 'decided', decision: yes('call_r') },
  ])
  await played.go()
  expect(told(played)).toContain('call_r denied: The call was denied.')
})

test('a store that refuses whoever comes second is heard before any tool runs', async () => {
  const { agent, store, go, trace } = playing('approval')
  await go({ messages: [said('Go.')] })
  const write = async (): Promise<never> => {
    throw new Error('taken')
  }
  const run = agent.run({ ...RUN, thread: store.thread(), decisions: [yes('call_r')], output: { write } })
  await expect(run.over).rejects.toThrow('taken')
  expect(trace).toEqual([])
})

test('a client answers for its own tools only', async () => {
  const played = playing('mixed')
  await played.go({ messages: [said('Go.')] })
  const facts = await played.go({ messages: [result('call_r', 'removed, really'), result('call_x', 'what')] })
  expect(waitingFor(facts)).toEqual(['call_r', 'call_s', 'call_c'])
  expect(told(played).join()).not.toContain('really')
})

test('a decision about a tool of the client is none', async () => {
  const played = playing('client-tool')
  await played.go({ messages: [said('Go.')] })
  expect(waitingFor(await played.go({ decisions: [yes('call_c')] }))).toEqual(['call_c'])
})

test('a client that comes back without its tools is still waited for', async () => {
  const played = playing('client-tool')
  await played.go({ messages: [said('Go.')] })
  expect(waitingFor(await played.go({ tools: false }))).toEqual(['call_c'])
  await played.go({ messages: [result('call_c', 'blue')], tools: false })
  expect(told(played).slice(3)).toEqual(['call_c: blue', 'assistant: It is done.'])
})

test('whoever was asked is waited for, though nobody would be asked today', async () => {
  const made = playing('approval')
  await made.go({ messages: [said('Go.')] })
  const later = playing('approval', { tools: [{ name: 'remove', run: () => void made.trace.push('removed') }] })
  expect(waitingFor(await later.go({}, made.store.thread()))).toEqual(['call_r'])
  expect(made.trace).toEqual([])
})

test('what is said meanwhile is kept, and stands behind the results', async () => {
  const journal = memoryJournal()
  const played = playing('approval', { journal })
  await played.go({ messages: [said('Go.')] })
  expect(waitingFor(await played.go({ messages: [said('Hurry.')] }))).toEqual(['call_r'])
  expect(told(played)).not.toContain('user: Hurry.')
  const facts = await played.go({ decisions: [yes('call_r')] })
  expect(told(played).slice(3)).toEqual(['call_r: removed', 'user: Hurry.', 'assistant: It is done.'])
  expect(facts.filter(({ type }) => type === 'continuation')).toEqual([
    { type: 'continuation', steered: false, detail: { decisions: [{ tool_use_id: 'call_r', approved: true }] } },
    { type: 'continuation', steered: true, detail: { messages: ['said-Hurry.'] }, messages: [said('Hurry.')] },
  ])
  expect(await journal.read('run-1')).toEqual([])
})

test('a message that the thread has is not taken again', async () => {
  const played = playing('approval')
  await played.go({ messages: [said('Go.')] })
  await played.go({ messages: [said('Go.')], decisions: [yes('call_r')] })
  expect(told(played).filter((line) => line === 'user: Go.')).toHaveLength(1)
})

test('an approval that cannot be asked for is a call that fails', async () => {
  const approval = (): never => {
    throw new Error('no policy')
  }
  const played = playing('approval', { tools: [{ name: 'remove', approval, run: () => 'removed' }] })
  await played.go({ messages: [said('Go.')] })
  expect(told(played)).toContain('call_r failed: The call could not be checked: no policy')
})

test('a tool is not run with what its schema refuses', async () => {
  const played = playing('no-arguments', {
    tools: [
      {
        name: 'now',
        schema: {
          '~standard': { validate: async () => ({ issues: [{ message: 'where?', path: [{ key: 'zone' }] }] }) },
        },
        run: () => 'noon',
      },
    ],
  })
  await played.go({ messages: [said('Go.')] })
  expect(told(played)).toContain('call_n failed: The arguments do not fit: zone: where?')
})

test('calls that an earlier run left open are closed, never made', async () => {
  const { agent, clock, provider, trace } = world('text')
  const before: readonly Message[] = [
    said('Once.'),
    {
      id: 'old',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'call_old', name: 'now', input: {} }],
    },
  ]
  const store = memoryStore(before)
  const openCalls = [{ id: 'call_old', name: 'now', message_id: 'old' }]
  const thread = { messages: before, standing: { openCalls } }
  await patiently(clock, agent.run({ ...RUN, thread, messages: [said('Go.')], output: store }).over)
  expect(trace).toEqual([])
  expect(outline(store.thread().messages).slice(2)).toEqual([
    'call_old failed: No result: it is not known how the run ended.',
    'user: Go.',
    'assistant: Hello 🌍.',
  ])
  expect(provider.requests).toHaveLength(1)
})

test('a run that has ended does not go on', () => {
  const { agent } = world('text')
  const standing = { state: { type: 'ended', cause: { type: 'natural_end' } }, openCalls: [] } as const
  expect(() => agent.run({ ...RUN, thread: { messages: [], standing }, output: memoryStore() })).toThrow(TypeError)
})
