import type { Committed, Message, RunState } from '@factwire/core'
import { inProcess, provider, scenes } from '@factwire/provider'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agent, type Journal, memoryCheckpoints, memoryJournal, type StreamCheckpointStore } from '../src/index.ts'
import { CHOOSE, modelOf, no, outline, RUN, said, toolsOf, type Trace, yes } from './agent.ts'
import { manualClock, turns } from './clock.ts'
import { type Crash, type Mortal, mortal } from './crash.ts'
import { wrongWith } from './inspect.ts'
import { type MemoryStore, memoryStore } from './store.ts'

const SEED = Number(process.env['FACTWIRE_SEED'] ?? 20_261_130)
const SAMPLES = Math.min(Number(process.env['FACTWIRE_RUNS'] ?? 40), 500)

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
  /** What was said while the run went on, and what was acknowledged of it. */
  readonly said: string[]
  readonly heard: string[]
}

const newWorld = (): World => ({
  store: memoryStore(),
  journal: memoryJournal(),
  checkpoints: memoryCheckpoints(),
  trace: [],
  said: [],
  heard: [],
})

const begun = (facts: MemoryStore): number => facts.facts().filter(({ type }) => type === 'run_started').length

/**
 * One process, from where the store stands until the run has ended or the process dies. Its client decides about what waits, and
 * says so again only as long as it was not told that the run goes on.
 */
async function live(
  scene: string,
  world: World,
  crash?: Crash,
  words: readonly string[] = [],
): Promise<Mortal & { readonly died: boolean }> {
  const { store, journal, checkpoints, trace } = world
  const clock = manualClock()
  // A process that comes back asks the same provider, which tells the same: what it says hangs on the thread alone.
  const fetch = inProcess(provider(scenes))
  const process = mortal({ fetch, journal, checkpoints, tools: toolsOf(trace), output: store }, crash)
  const { run } = agent({ model: modelOf(scene), clock, fold: { reasoning: 'text' }, ...process.options })
  let died = false
  void process.crashed.then(() => (died = true))

  async function segment(thread: Committed): Promise<RunState | undefined> {
    const heard = begun(store)
    const brought =
      heard === 0 ? { messages: [said('Go.')] } : heard === 1 ? { messages: [chosen], decisions: DECISIONS } : {}
    const goesOn = thread.standing.state?.type === 'running' ? {} : brought
    const { over, push } = run({ ...RUN, ...goesOn, thread, clientTools: [CHOOSE], output: process.output })
    let state: RunState | undefined
    void over.then((how) => (state = how))
    for (let turn = 0; ; turn++) {
      const word = words[turn]
      if (word !== undefined && !world.said.includes(word)) {
        world.said.push(word)
        void push([said(word)]).then((isKept) => isKept && world.heard.push(word))
      }
      await turns()
      if (state || died) return state
      if (!clock.next()) throw new Error(`nothing happens after ${process.calls.join(', ')}`)
    }
  }

  // Two are enough: what is said is said once.
  for (let count = 0; count < 4 && !died && store.thread().standing.state?.type !== 'ended'; count++) {
    await segment(store.thread())
  }
  return { ...process, died }
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
  expect(wrongIn(scene, whole)).toEqual([])
  for (const done of [false, true]) {
    for (let at = 0; at < calls.length; at++) {
      const world = newWorld()
      const first = await live(scene, world, { at, done })
      expect(first.died, `${at} of ${calls.length}`).toBe(true)
      await live(scene, world)
      expect({ at, done, wrong: wrongIn(scene, world) }).toEqual({ at, done, wrong: [] })
    }
  }
})

/** Whatever died when: what was said is what happened, or nobody knows. */
function wrongDecisions({ store, trace }: World): readonly string[] {
  const told = outline(store.thread().messages)
  const wrong: string[] = []
  if (!told.includes('call_s denied: The call was denied. They said: keep it')) wrong.push('the no is lost')
  if (!told.includes('call_c: red')) wrong.push('the choice is lost')
  if (trace.some((line) => line.startsWith('remove call_s'))) wrong.push('what was denied has run')
  const ran = trace.includes('remove call_r /tmp/x true')
  const unknown = told.some((line) => line.startsWith('call_r failed: No result: the process ended'))
  if (!unknown && !(ran && told.includes('call_r: removed'))) wrong.push('the yes is lost')
  return wrong.length > 0 ? [...wrong, ...told] : wrong
}

function wrongIn(scene: string, world: World): readonly string[] {
  return [...wrongWith(world.store, world.trace), ...(scene === 'mixed' ? wrongDecisions(world) : [])]
}

/** Whoever was told that it is kept finds it in the thread; whoever was not may, once. */
function wrongWords({ store, said: all, heard }: World): readonly string[] {
  const told = outline(store.thread().messages)
  const count = (word: string): number => told.filter((line) => line === `user: ${word}`).length
  return [
    ...heard.filter((word) => count(word) !== 1).map((word) => `"${word}" was kept, and is there ${count(word)} times`),
    ...all.filter((word) => count(word) > 1).map((word) => `"${word}" is there ${count(word)} times`),
  ]
}

test.each(['parallel-tools', 'slow', 'failing-tool', 'mixed'])(
  'a crash at any moment of %s, while somebody says something',
  async (scene) => {
    const words = ['One more.', 'And another.', 'That is all.']
    const whole = newWorld()
    const { calls } = await live(scene, whole, undefined, words)
    expect(whole.heard.length).toBeGreaterThan(0)
    expect([...wrongIn(scene, whole), ...wrongWords(whole)]).toEqual([])
    let kept = 0
    for (const done of [false, true]) {
      for (let at = 0; at < calls.length; at++) {
        const world = newWorld()
        await live(scene, world, { at, done }, words)
        await live(scene, world, undefined, words)
        expect({ at, done, wrong: [...wrongIn(scene, world), ...wrongWords(world)] }).toEqual({ at, done, wrong: [] })
        kept += world.heard.length
      }
    }
    expect(kept).toBeGreaterThan(calls.length)
  },
)

test('processes that die one after the other', async () => {
  const crash = fc.record({ at: fc.nat(40), done: fc.boolean() })
  const samples = fc.tuple(fc.constantFrom(...SCENES), fc.array(crash, { minLength: 2, maxLength: 4 }))
  await fc.assert(
    fc.asyncProperty(samples, async ([scene, crashes]) => {
      const world = newWorld()
      for (const each of crashes) await live(scene, world, each)
      await live(scene, world)
      expect(wrongIn(scene, world)).toEqual([])
    }),
    { seed: SEED, numRuns: SAMPLES },
  )
})
