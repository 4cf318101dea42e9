import { type EndCause, FactwireError, type RunState } from '@factwire/core'
import { answer, call, inProcess, provider, scenes } from '@factwire/provider'
import { expect, test } from 'vitest'
import {
  agent,
  type AgentOptions,
  type AgentRun,
  type InputSchema,
  memoryCheckpoints,
  memoryJournal,
  type Output,
  type RunOptions,
} from '../src/index.ts'
import { modelOf, outline, RUN, said, toolsOf, world, type World } from './agent.ts'
import { manualClock, patiently, turns } from './clock.ts'
import { type Crash, mortal } from './crash.ts'
import { type MemoryStore, memoryStore } from './store.ts'

interface Stoppable extends World {
  readonly store: MemoryStore
  readonly run: AgentRun
  stop(cause?: EndCause): void
}

function started(scene: string, options: Partial<AgentOptions> = {}, output?: Output): Stoppable {
  const made = world(scene, options)
  const store = memoryStore()
  const controller = new AbortController()
  const run = made.agent.run({
    ...RUN,
    thread: store.thread(),
    messages: [said('Go.')],
    output: output ?? store,
    signal: controller.signal,
  })
  return { ...made, store, run, stop: (cause) => controller.abort(cause) }
}

const anything: InputSchema = { '~standard': { validate: async (value) => ({ value }) } }

const refuse = async (): Promise<never> => {
  throw new Error('taken')
}

const told = ({ store }: Stoppable): readonly string[] => outline(store.thread().messages).slice(1)

test('a run that is cancelled while the model speaks keeps what it said', async () => {
  const made = started('silent-text')
  await turns()
  made.stop()
  // Nothing of it needs the clock.
  await turns()
  expect(await made.run.over).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
  expect(told(made)).toEqual(['assistant: Once upon '])
})

test('a call that is cancelled in its middle is taken back', async () => {
  const scene = [[scenes['cut-text-in-call'][0][0]]]
  const played = provider({ scene })
  const fetch = inProcess(played, { disturb: (moves) => [...moves.slice(0, -1), { type: 'hang' }] })
  const made = started('scene', { fetch })
  await turns()
  made.stop()
  await made.run.over
  expect(told(made)).toEqual(['assistant: I look. '])
  expect(made.store.events.some(({ event }) => event.type === 'tool_call_cancelled')).toBe(true)
})

test('the reason says how the run ends', async () => {
  const made = started('silent-text')
  await turns()
  made.stop({ type: 'stopped', code: 'token_budget' })
  expect(await made.run.over).toEqual({ type: 'ended', cause: { type: 'stopped', code: 'token_budget' } })
})

test('a run that is cancelled before it begins says so', async () => {
  const made = world('text')
  const store = memoryStore()
  const signal = AbortSignal.abort()
  const run = made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store, signal })
  expect(await run.over).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
  expect(made.provider.requests).toEqual([])
  expect(store.facts().map(({ type }) => type)).toEqual(['run_started', 'run_finished'])
})

test('a tool that does not listen is left after its grace', async () => {
  const made = started('hanging-tool')
  await turns()
  expect(made.trace).toEqual(['hang'])
  made.stop()
  await turns()
  expect(made.clock.due).toBe(1000)
  made.clock.next()
  expect(await made.run.over).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
  expect(told(made)[1]).toBe('call_h cancelled: No result: the run was cancelled.')
})

test('a tool that listens may still say what it has done', async () => {
  const made = started('hanging-tool', {
    tools: [
      {
        name: 'hang',
        run: (_input, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve('half of it is done'))),
      },
    ],
  })
  await turns()
  made.stop()
  await made.run.over
  expect(told(made)[1]).toBe('call_h: half of it is done')
})

test('a cancel while the next attempt is waited for ends the wait', async () => {
  const made = started('always-failing')
  await turns()
  expect(made.clock.due).toBe(500)
  made.stop()
  expect(await made.run.over).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
})

test('a fetch that never settles and does not listen is left too', async () => {
  const made = started('text', { fetch: () => new Promise(() => undefined) })
  await turns()
  made.stop()
  expect(await made.run.over).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
})

test('what cannot be stored ends the process of the run, and nothing is written behind it', async () => {
  const store = memoryStore()
  let count = 0
  const output: Output = {
    async write(written) {
      if (++count === 4) throw new Error('disk full')
      await store.write(written)
    },
  }
  const made = started('parallel-tools', {}, output)
  await expect(patiently(made.clock, made.run.over)).rejects.toThrow('disk full')
  const { length } = store.events
  await turns()
  expect(store.events).toHaveLength(length)
  expect(count).toBe(4)
})

test('a journal that fails fails the run, with results for what is open', async () => {
  const journal = {
    ...memoryJournal(),
    claim: async () => {
      throw new Error('no room')
    },
    clear: async () => undefined,
  }
  const made = started('parallel-tools', { journal })
  expect(await patiently(made.clock, made.run.over)).toEqual({
    type: 'ended',
    cause: { type: 'error', failure: { code: 'runtime_failed', message: 'no room' } },
  })
  expect(made.trace).toEqual([])
  expect(told(made)).toContain('call_a failed: No result: the run failed (no room).')
})

test('checkpoints that fail are not missed', async () => {
  const fail = async (): Promise<never> => {
    throw new Error('no room')
  }
  const made = started('cut-text', { checkpoints: { put: fail, get: fail, delete: fail } })
  expect(await patiently(made.clock, made.run.over)).toEqual({ type: 'ended', cause: { type: 'natural_end' } })
})

test('an approval that nobody answers does not keep a run that is to end', async () => {
  const approval = (): Promise<boolean> => new Promise(() => undefined)
  const made = started('approval', { tools: [{ name: 'remove', approval, run: () => 'removed' }] })
  await turns()
  made.stop()
  expect(await made.run.over).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
  expect(told(made)[2]).toMatch(/^call_r (failed|cancelled)/)
})

test('a run has so many steps', async () => {
  const made = started('many-rounds', { limits: { steps: 2 } })
  expect(await patiently(made.clock, made.run.over)).toEqual({ type: 'ended', cause: { type: 'max_steps' } })
  expect(made.trace).toEqual(['look_up call_a Oslo', 'look_up call_a-2 Oslo'])
  expect(made.store.facts().at(-1)).toMatchObject({ type: 'run_finished', exhausted: true })
})

test('checkpoints and a journal that never answer keep no run from its end', async () => {
  const never = (): Promise<never> => new Promise(() => undefined)
  const journal = { ...memoryJournal(), clear: never }
  const made = started('cut-text', { checkpoints: { put: never, get: never, delete: never }, journal })
  expect(await patiently(made.clock, made.run.over)).toEqual({ type: 'ended', cause: { type: 'natural_end' } })
})

test.each(['read', 'add', 'claim', 'clear'] as const)(
  'a journal that never answers a %s keeps no cancelled run from its end',
  async (name) => {
    const journal = { ...memoryJournal(), [name]: (): Promise<never> => new Promise(() => undefined) }
    const made = started('hanging-tool', { journal })
    const pushed = made.run.push([said('More.')]).catch(String)
    await turns()
    made.stop({ type: 'stopped', code: 'budget' })
    expect(await patiently(made.clock, made.run.over)).toEqual({
      type: 'ended',
      cause: { type: 'stopped', code: 'budget' },
    })
    const outcome = { read: false, add: 'Error: the journal has not answered', claim: true, clear: true }
    expect(await pushed).toBe(outcome[name])
    expect(made.store.thread().standing.openCalls).toEqual([])
  },
)

test('a checkpoint that never comes keeps no run from going on', async () => {
  const { store } = started('silent-text')
  await turns()
  const get = (): Promise<never> => new Promise(() => undefined)
  const later = world('text', { checkpoints: { ...memoryCheckpoints(), get } })
  const { over } = later.agent.run({ ...RUN, thread: store.thread(), output: store })
  expect(await patiently(later.clock, over)).toEqual({ type: 'ended', cause: { type: 'natural_end' } })
})

test('many tools at once warn of nothing', async () => {
  const warnings: string[] = []
  const heard = ({ message }: Error): void => void warnings.push(message)
  process.on('warning', heard)
  const calls = Array.from({ length: 40 }, (_none, index) => call(index, `call_${index}`, 'wait', '{}'))
  const fetch = inProcess(provider({ scene: [[answer('tool_calls', ...calls)]] }))
  const tools = [{ name: 'wait', run: () => new Promise<void>(() => undefined), schema: anything }]
  const made = started('scene', { fetch, tools })
  await turns()
  made.stop()
  expect(await patiently(made.clock, made.run.over)).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
  process.off('warning', heard)
  expect(warnings).toEqual([])
})

test('what was said to a run that waits is in the thread when it is cancelled', async () => {
  const made = world('approval')
  const store = memoryStore()
  const go = (options: Pick<RunOptions, 'messages' | 'signal'>): Promise<RunState> =>
    patiently(made.clock, made.agent.run({ ...RUN, thread: store.thread(), output: store, ...options }).over)
  await go({ messages: [said('Go.')] })
  expect(await go({ messages: [said('And then?')] })).toEqual({ type: 'awaiting' })
  expect(await go({ signal: AbortSignal.abort() })).toEqual({ type: 'ended', cause: { type: 'cancelled' } })
  expect(outline(store.thread().messages).slice(-2)).toEqual([
    'call_r cancelled: No result: the run was cancelled.',
    'user: And then?',
  ])
})

test('a process that dies between a cancel and the end of the run has cancelled it', async () => {
  const ends = async (crash?: Crash): Promise<{ calls: readonly string[]; last: unknown }> => {
    const [store, journal, checkpoints, clock] = [memoryStore(), memoryJournal(), memoryCheckpoints(), manualClock()]
    const ports = { fetch: inProcess(provider(scenes)), journal, checkpoints, tools: toolsOf([]), output: store }
    const first = mortal(ports, crash)
    const controller = new AbortController()
    const { over } = agent({ model: modelOf('hanging-tool'), clock, ...first.options }).run({
      ...RUN,
      thread: store.thread(),
      messages: [said('Go.')],
      output: first.output,
      signal: controller.signal,
    })
    await turns()
    controller.abort({ type: 'stopped', code: 'budget' })
    await Promise.race([patiently(clock, over).catch(() => undefined), first.crashed])
    await turns()
    if (store.thread().standing.state?.type !== 'ended') {
      const later = mortal(ports)
      const again = agent({ model: modelOf('hanging-tool'), clock, ...later.options })
      await patiently(clock, again.run({ ...RUN, thread: store.thread(), output: later.output }).over)
    }
    return { calls: first.calls, last: store.thread().standing.state }
  }
  const stopped = { type: 'ended', cause: { type: 'stopped', code: 'budget' } }
  const { calls, last } = await ends()
  expect(last).toEqual(stopped)
  // The last of them keeps that it was cancelled.
  const from = calls.lastIndexOf('journal.add')
  expect(calls.slice(from).length).toBeGreaterThan(2)
  const crashes = calls
    .flatMap((_call, at) => [
      { at, done: false },
      { at, done: true },
    ])
    .filter(({ at, done }) => at > from || (at === from && done))
  for (const crash of crashes) expect({ crash, ...(await ends(crash)) }).toMatchObject({ last: stopped })
})

test('an output that another has taken cancels no run', async () => {
  const journal = memoryJournal()
  const made = started('silent-text', { journal })
  await turns()
  const taken = new AbortController()
  const { store } = made
  const second = made.agent.run({ ...RUN, thread: store.thread(), output: { write: refuse }, signal: taken.signal })
  taken.abort(new FactwireError('run_taken', 'another has it'))
  await expect(second.over).rejects.toThrow('taken')
  expect((await journal.read(RUN.runId)).map(({ type }) => type)).not.toContain('stopped')
})
