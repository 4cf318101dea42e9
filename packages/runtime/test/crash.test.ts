import type { Committed, Message, RunState } from '@factwire/core'
import { history } from '@factwire/openai-chat'
import { inProcess, objection, provider, scenes } from '@factwire/provider'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  agent,
  askable,
  type Journal,
  memoryCheckpoints,
  memoryJournal,
  type StreamCheckpointStore,
} from '../src/index.ts'
import { CHOOSE, modelOf, no, outline, RUN, said, toolsOf, type Trace, yes } from './agent.ts'
import { manualClock, turns } from './clock.ts'
import { type Crash, type Mortal, mortal } from './crash.ts'
import { type MemoryStore, memoryStore, refolded } from './store.ts'

const SEED = Number(process.env['FACTWIRE_SEED'] ?? 20_261_130)
const SAMPLES = Math.min(Number(process.env['FACTWIRE_RUNS'] ?? 60), 500)

const chosen: Message = {
  id: 'chosen',
  role: 'tool',
  content: [{ type: 'tool_result', tool_use_id: 'call_c', content: [{ type: 'text', text: 'red' }], is_error: false }],
}
const DECISIONS = [yes('call_r'), no('call_s', 'keep it')]

/** What outlives a process. */
interface World {
  readonly store: MemoryStore
  readonly journal: Journal
  readonly checkpoints: StreamCheckpointStore
  readonly trace: Trace
}

const newWorld = (): World => ({
  store: memoryStore(),
  journal: memoryJournal(),
  checkpoints: memoryCheckpoints(),
  trace: [],
})

const begun = (facts: MemoryStore): number => facts.facts().filter(({ type }) => type === 'run_started').length

/**
 * One process, from where the store stands until the run has ended or the process dies. Its client decides about what waits, and
 * says so again only as long as it was not told that the run goes on.
 */
async function live(scene: string, world: World, crash?: Crash): Promise<Mortal & { readonly died: boolean }> {
  const { store, journal, checkpoints, trace } = world
  const clock = manualClock()
  // A process that comes back asks the same provider, which tells the same: what it says hangs on the thread alone.
  const fetch = inProcess(provider(scenes))
  const process = mortal({ fetch, journal, checkpoints, tools: toolsOf(trace), output: store }, crash)
  const { run } = agent({ model: modelOf(scene), clock, ...process.options })
  let died = false
  void process.crashed.then(() => (died = true))

  async function segment(thread: Committed): Promise<RunState | undefined> {
    const heard = begun(store)
    const brought =
      heard === 0 ? { messages: [said('Go.')] } : heard === 1 ? { messages: [chosen], decisions: DECISIONS } : {}
    const goesOn = thread.standing.state?.type === 'running' ? {} : brought
    const { over } = run({ ...RUN, ...goesOn, thread, clientTools: [CHOOSE], output: process.output })
    let state: RunState | undefined
    void over.then((how) => (state = how))
    for (;;) {
      await turns()
      if (state || died) return state
      if (!clock.next()) throw new Error(`nothing happens after ${process.calls.join(', ')}`)
    }
  }

  while (!died && store.thread().standing.state?.type !== 'ended') await segment(store.thread())
  return { ...process, died }
}

/** What holds of a run, however often its process died. */
function inspect({ store, trace }: World): void {
  const thread = store.thread()
  const told = JSON.stringify(outline(thread.messages))
  expect(thread.standing, told).toEqual({ state: { type: 'ended', cause: { type: 'natural_end' } }, openCalls: [] })
  expect(refolded(store.commits)).toEqual(store.facts())
  const ran = trace.map((line) => line.split(' ').slice(0, 2).join(' '))
  expect(new Set(ran).size, `a tool ran twice: ${trace.join('; ')}`).toBe(ran.length)
  const calls = thread.messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_use' ? block.id : [])),
  )
  const results = thread.messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : [])),
  )
  expect(results.toSorted()).toEqual(calls.toSorted())
  expect(new Set(results).size).toBe(results.length)
  const next = [...thread.messages, said('And now?')]
  // As it is stored, with nothing mended: only what the model wrote wrong is told otherwise.
  const isWrong = next.some(({ content }) => content.some((block) => block.type === 'tool_use' && block.input === null))
  if (!isWrong) expect(objection({ stream: true, messages: history({ messages: next }) }), told).toBeUndefined()
  expect(objection({ stream: true, messages: history({ messages: askable(next) }) }), told).toBeUndefined()
}

/** Only where every request of the scene gets the same reply, whoever asks how often. */
const SCENES = [
  'text',
  'reasoning',
  'parallel-tools',
  'mixed',
  'repeated-ids',
  'failing-tool',
  'malformed-arguments',
  'cut-after-call',
]

test.each(SCENES)('a crash at any moment of %s', async (scene) => {
  const whole = newWorld()
  const { calls } = await live(scene, whole)
  inspect(whole)
  for (const done of [false, true]) {
    for (let at = 0; at < calls.length; at++) {
      const world = newWorld()
      const first = await live(scene, world, { at, done })
      expect(first.died, `${at} of ${calls.length}`).toBe(true)
      await live(scene, world)
      inspect(world)
      if (scene === 'mixed') inspectDecisions(world)
    }
  }
})

/** Whatever died when: what was said is what happened, or nobody knows. */
function inspectDecisions({ store, trace }: World): void {
  const told = outline(store.thread().messages)
  expect(told).toContain('call_s denied: The call was denied. They said: keep it')
  expect(told).toContain('call_c: red')
  const ran = trace.some((line) => line === 'remove call_r /tmp/x true')
  const known = told.includes('call_r: removed')
  if (known) expect(ran).toBe(true)
  else expect(told.find((line) => line.startsWith('call_r'))).toMatch(/^call_r failed: No result: the process ended/)
  expect(trace.some((line) => line.startsWith('remove call_s'))).toBe(false)
}

test('processes that die one after the other', async () => {
  const crash = fc.record({ at: fc.nat(40), done: fc.boolean() })
  const samples = fc.tuple(fc.constantFrom(...SCENES), fc.array(crash, { minLength: 2, maxLength: 4 }))
  await fc.assert(
    fc.asyncProperty(samples, async ([scene, crashes]) => {
      const world = newWorld()
      for (const each of crashes) await live(scene, world, each)
      await live(scene, world)
      inspect(world)
      if (scene === 'mixed') inspectDecisions(world)
    }),
    { seed: SEED, numRuns: SAMPLES },
  )
})
