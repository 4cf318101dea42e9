import { expect, test } from 'vitest'
import { memoryJournal } from '../src/index.ts'
import { RUN, said, world } from './agent.ts'
import { patiently } from './clock.ts'
import { memoryStore } from './store.ts'

const broken = async (): Promise<never> => {
  throw new Error('disk full')
}

test('a journal that cannot be read ends the run as failed, and nothing more is taken', async () => {
  const { agent, clock } = world('text', { journal: { ...memoryJournal(), read: broken } })
  const store = memoryStore()
  const run = agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store })
  expect(await patiently(clock, run.over)).toMatchObject({ type: 'ended', cause: { type: 'error' } })
  expect(store.facts().at(-1)).toMatchObject({ type: 'run_failed', code: 'runtime_failed' })
  expect(await run.push([said('More.')])).toBe(false)
})

test('what was said to a run stands in the thread, although its journal fails before anybody heard it', async () => {
  let run: ReturnType<ReturnType<typeof world>['agent']['run']> | undefined
  const kept: boolean[] = []
  const claim = async (): Promise<never> => {
    kept.push((await run?.push([said('More.')])) ?? false)
    return broken()
  }
  const { agent, clock } = world('parallel-tools', { journal: { ...memoryJournal(), claim } })
  const store = memoryStore()
  run = agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store })
  await patiently(clock, run.over)
  expect(kept).toContain(true)
  expect(store.facts().at(-1)).toMatchObject({ type: 'run_failed', code: 'runtime_failed' })
  const { messages, standing } = store.thread()
  expect(messages.filter(({ id }) => id === 'said-More.')).toHaveLength(1)
  expect(standing.openCalls).toEqual([])
})
