import type { Committed, Decision, Fact, Json, Message } from '@factwire/core'
import { answer, call, inProcess, provider, words } from '@factwire/provider'
import { expect, test } from 'vitest'
import { type AgentOptions, expiresAt, memoryJournal, type Tool } from '../src/index.ts'
import { CHOOSE, no, outline, RUN, said, world, type World, yes } from './agent.ts'
import { type ManualClock, manualClock, patiently } from './clock.ts'
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

function playing(scene: string, options: Partial<AgentOptions> = {}, clock?: ManualClock): Played {
  const made = world(scene, options, clock)
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

test('who is waited for is not asked again, also where nobody kept who that is', async () => {
  let asked = 0
  const approval = (): { readonly message: string } => ({ message: `question ${++asked}` })
  const tools = [{ name: 'remove', approval, run: () => 'removed' }]
  const played = playing('approval', { tools })
  await played.go({ messages: [said('Go.')] })
  const facts = await played.go()
  expect(facts.at(-1)).toMatchObject({ pending: [{ tool_use_id: 'call_r', kind: 'approval', message: 'question 1' }] })
  const { pending: _, ...forgotten } = played.store.thread()
  expect(waitingFor(await played.go({}, forgotten))).toEqual(['call_r'])
  await played.go({ decisions: [yes('call_r')] }, forgotten)
  expect(told(played)).toContain('call_r: removed')
  expect(asked).toBe(1)
})

test('without a word of whom they wait for, calls of the server wait for a yes and others for the client', async () => {
  const played = playing('mixed')
  await played.go({ messages: [said('Go.')] })
  const { pending: _, ...forgotten } = played.store.thread()
  const later = playing('mixed', { tools: [{ name: 'remove', run: () => void played.trace.push('removed') }] })
  const facts = await later.go({ tools: false }, forgotten)
  expect(waitingFor(facts)).toEqual(['call_r', 'call_s', 'call_c'])
  expect(played.trace).toEqual(['look_up call_a Oslo'])
})

test('calls that were given the same id are waited for and decided one by one', async () => {
  const args = '{"city":"Oslo","path":"/tmp/x"}'
  const scene = [
    [answer('tool_calls', call(0, 'call_1', 'look_up', args))],
    [answer('tool_calls', call(0, 'call_1', 'remove', args), call(1, 'call_1', 'remove', args))],
    [words('Done.')],
  ]
  const played = playing('scene', { fetch: inProcess(provider({ scene })) })
  const waits = waitingFor(await played.go({ messages: [said('Go.')] })) ?? []
  expect(waits).toHaveLength(2)
  const [one = '', other = ''] = waits
  expect(one).not.toBe(other)
  expect(waitingFor(await played.go({ decisions: [no(other)] }))).toEqual([one])
  await played.go({ decisions: [yes(one)] })
  expect(told(played).slice(-3)).toEqual([
    `${other} denied: The call was denied.`,
    `${one}: removed`,
    'assistant: Done.',
  ])
})

// ── Approvals that run out ──

const SOON = 60_000
const expiring = (clock: { now(): number }, expires_at = (): string => new Date(clock.now() + SOON).toISOString()) => ({
  name: 'remove',
  approval: () => ({ expires_at: expires_at() }),
  run: () => 'removed',
})

function playingUntil(): Played & { pass(): void } {
  const clock = manualClock()
  const played = playing('approval', { tools: [expiring(clock)] }, clock)
  return {
    ...played,
    pass() {
      clock.after(SOON, () => undefined)
      clock.next()
    },
  }
}

test('an approval that nobody gives in time is a no, when the run next goes on', async () => {
  const played = playingUntil()
  const [waits] = (await played.go({ messages: [said('Go.')] })).slice(-1)
  expect(waits).toMatchObject({ pending: [{ expires_at: expect.stringMatching(/^2026-.*Z$/) }] })
  expect(waitingFor(await played.go())).toEqual(['call_r'])
  played.pass()
  expect(waitingFor(await played.go())).toBeUndefined()
  expect(told(played).slice(3)).toEqual([
    'call_r denied: The call was denied: nobody had decided in time.',
    'assistant: It is done.',
  ])
})

test('a yes that comes too late is none, and nobody is told that it counted', async () => {
  const played = playingUntil()
  await played.go({ messages: [said('Go.')] })
  played.pass()
  const facts = await played.go({ decisions: [yes('call_r')] })
  expect(facts.some(({ type }) => type === 'continuation')).toBe(false)
  expect(told(played)).toContain('call_r denied: The call was denied: nobody had decided in time.')
})

test('a yes that came in time counts, however late it is carried out', async () => {
  const journal = memoryJournal()
  const clock = manualClock()
  const played = playing('approval', { journal, tools: [expiring(clock)] }, clock)
  await played.go({ messages: [said('Go.')] })
  await journal.add('run-1', [{ type: 'decided', decision: yes('call_r') }])
  clock.after(2 * SOON, () => undefined)
  clock.next()
  await played.go()
  expect(told(played)).toContain('call_r: removed')
})

test('a host knows when to go on with a run that waits', async () => {
  const played = playingUntil()
  await played.go({ messages: [said('Go.')] })
  const { pending = [] } = played.store.thread()
  expect(expiresAt(pending)).toBe(played.clock.now() + SOON)
  played.pass()
  // At that moment, and no later.
  expect(expiresAt(pending)).toBe(played.clock.now())
  expect(waitingFor(await played.go())).toBeUndefined()
  expect([expiresAt([]), expiresAt([{ tool_use_id: 'a', kind: 'approval', expires_at: 'soon' }])]).toEqual([
    undefined,
    undefined,
  ])
})

test('a time that is no date never comes', async () => {
  const clock = manualClock()
  const played = playing('approval', { tools: [expiring(clock, () => 'when pigs fly')] }, clock)
  await played.go({ messages: [said('Go.')] })
  clock.after(10 * SOON, () => undefined)
  clock.next()
  await played.go({ decisions: [yes('call_r')] })
  expect(told(played)).toContain('call_r: removed')
})

// ── Approvals with other arguments ──

const changing = (ran: unknown[], amend?: Tool['amend']): Tool => ({
  name: 'remove',
  approval: true,
  ...(amend ? { amend } : {}),
  schema: {
    '~standard': {
      validate: (value) =>
        typeof (value as { path?: unknown }).path === 'string'
          ? { value: { ...Object(value), checked: true } }
          : { issues: [{ message: 'has to be a string', path: ['path'] }] },
    },
  },
  run: (input) => {
    ran.push(input)
    return 'removed'
  },
})
const amend: Tool['amend'] = (input, payload) => ({ ...Object(input), ...Object(Object(payload).args) })
const withArgs = (args: Json): Decision => ({ ...yes('call_r'), payload: { approved: true, args } })

test('a yes with other arguments makes the call with those, and the model is told', async () => {
  const ran: unknown[] = []
  const played = playing('approval', { tools: [changing(ran, amend)] })
  await played.go({ messages: [said('Go.')] })
  await played.go({ decisions: [withArgs({ path: '/tmp/y' })] })
  expect(ran).toEqual([{ path: '/tmp/y', checked: true }])
  expect(told(played).slice(2, 4)).toEqual([
    'calls call_r remove {"path":"/tmp/x"}',
    'call_r: The arguments were changed to {"path":"/tmp/y"}.\n\nremoved',
  ])
})

test('a yes with the same arguments, or in words that change none, is a plain yes', async () => {
  for (const payload of [{ approved: true, args: { path: '/tmp/x' } }, { approved: true }]) {
    const ran: unknown[] = []
    const played = playing('approval', { tools: [changing(ran, amend)] })
    await played.go({ messages: [said('Go.')] })
    await played.go({ decisions: [{ ...yes('call_r'), payload }] })
    expect(ran).toEqual([{ path: '/tmp/x', checked: true }])
    expect(told(played)).toContain('call_r: removed')
  }
})

test('a client changes no arguments of a tool that does not let it', async () => {
  const ran: unknown[] = []
  const played = playing('approval', { tools: [changing(ran)] })
  await played.go({ messages: [said('Go.')] })
  await played.go({ decisions: [withArgs({ path: '/' })] })
  expect(ran).toEqual([{ path: '/tmp/x', checked: true }])
})

test.each<[Tool['amend'], string]>([
  [amend, 'Somebody changed the arguments. The arguments do not fit: path: has to be a string'],
  [() => 'x', 'The arguments were changed to what is no JSON object.'],
  [
    () => {
      throw new Error('what is that')
    },
    'The arguments could not be changed: what is that',
  ],
])('arguments that somebody changed to what cannot be used make no call (%#)', async (how, why) => {
  const ran: unknown[] = []
  const played = playing('approval', { tools: [changing(ran, how)] })
  await played.go({ messages: [said('Go.')] })
  await played.go({ decisions: [withArgs({ path: 7 })] })
  expect(ran).toEqual([])
  expect(told(played)).toContain(`call_r failed: ${why}`)
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
