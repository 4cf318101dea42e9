import type { EndCause } from '@factwire/core'
import { inProcess, provider, scenes } from '@factwire/provider'
import { expect, test } from 'vitest'
import { type AgentOptions, type AgentRun, memoryJournal, type Output } from '../src/index.ts'
import { outline, RUN, said, world, type World } from './agent.ts'
import { patiently, turns } from './clock.ts'
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
