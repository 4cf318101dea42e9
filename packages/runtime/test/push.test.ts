import { expect, test } from 'vitest'
import type { Journal } from '../src/index.ts'
import { memoryJournal } from '../src/index.ts'
import { outline, RUN, said, world } from './agent.ts'
import { patiently, turns } from './clock.ts'
import { memoryStore } from './store.ts'

test('what is said while a tool runs is heard before the next answer', async () => {
  const store = memoryStore()
  const made = world('hanging-tool')
  const run = made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store })
  await turns()
  expect(await run.push([said('Faster.'), said('Please.')])).toBe(true)
  await patiently(made.clock, run.over)
  expect(outline(store.thread().messages).slice(2)).toEqual([
    expect.stringMatching(/^call_h failed/),
    'user: Faster.',
    'user: Please.',
    'assistant: It is done.',
  ])
  expect(store.facts()).toContainEqual({
    type: 'continuation',
    steered: true,
    detail: { messages: ['said-Faster.', 'said-Please.'] },
    messages: [said('Faster.'), said('Please.')],
  })
})

test('what is said while the model has its last word has an answer of its own', async () => {
  const store = memoryStore()
  const made = world('silent-text')
  const run = made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store })
  await turns()
  expect(await run.push([said('And then?')])).toBe(true)
  await patiently(made.clock, run.over)
  expect(outline(store.thread().messages)).toEqual([
    'user: Go.',
    'assistant: Once upon a time.',
    'user: And then?',
    'assistant: a time.',
  ])
})

test('what is said to a run that fails is in the thread', async () => {
  const store = memoryStore()
  const made = world('cut-always')
  const run = made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store })
  await turns()
  await run.push([said('Hello?')])
  expect(await patiently(made.clock, run.over)).toMatchObject({ cause: { type: 'error' } })
  expect(outline(store.thread().messages)).toEqual(['user: Go.', 'assistant: Once Once Once ', 'user: Hello?'])
})

test('a run that is over takes nothing more, and keeps nothing of it', async () => {
  const journal = memoryJournal()
  const store = memoryStore()
  const made = world('text', { journal })
  const run = made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store })
  await patiently(made.clock, run.over)
  expect(await run.push([said('Late.')])).toBe(false)
  expect(await journal.read('run-1')).toEqual([])
})

test('a run waits for what is being kept before it ends', async () => {
  const plain = memoryJournal()
  let kept = (): void => undefined
  const journal: Journal = {
    ...plain,
    async add(runId, notes) {
      await new Promise<void>((resolve) => (kept = resolve))
      await plain.add(runId, notes)
    },
  }
  const store = memoryStore()
  const made = world('text', { journal })
  const run = made.agent.run({ ...RUN, thread: store.thread(), messages: [said('Go.')], output: store })
  const pushed = run.push([said('Wait.')])
  await turns()
  expect(store.thread().standing.state).toEqual({ type: 'running' })
  kept()
  expect(await pushed).toBe(true)
  await patiently(made.clock, run.over)
  expect(outline(store.thread().messages)).toContain('user: Wait.')
})
