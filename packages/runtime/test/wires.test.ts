/** Every scene on every wire, read by the clients that judge the wire: those who were there and those who have the facts alone. */
import { readdirSync } from 'node:fs'
import type { Disturbance, LiveRun, Subject } from '@factwire/conformance'
import { laws } from '@factwire/conformance'
import type { Decision, Message } from '@factwire/core'
import { type SceneName, scenes } from '@factwire/provider'
import { expect, test } from 'vitest'
import { CHOOSE, no, RUN, said, world, yes } from './agent.ts'
import { recording } from './as-run.ts'
import { patiently } from './clock.ts'
import { memoryStore } from './store.ts'

const packages = new URL('../../', import.meta.url)

/** Found by folder: a wire with several clients gives them all. */
async function subjects(): Promise<readonly Subject<unknown>[]> {
  const found: Subject<unknown>[] = []
  for (const folder of readdirSync(packages)) {
    const loaded = (await import(new URL(`${folder}/test/subject.ts`, packages).href).catch(() => ({}))) as {
      readonly subjects?: readonly Subject<unknown>[]
      readonly subject?: Subject<unknown>
      readonly subjectOf?: () => Subject<unknown>
    }
    found.push(...(loaded.subjects ?? [loaded.subject ?? loaded.subjectOf?.()].filter((one) => one !== undefined)))
  }
  return found
}

const chosen: Message = {
  id: 'chosen',
  role: 'tool',
  content: [{ type: 'tool_result', tool_use_id: 'call_c', content: [{ type: 'text', text: 'red' }], is_error: false }],
}
const DECISIONS: readonly Decision[] = [yes('call_r'), no('call_s', 'keep it')]

/** To its end, with whoever is asked answering. */
async function play(scene: SceneName): Promise<readonly LiveRun[]> {
  const { agent, clock } = world(scene, { fold: { reasoning: 'text' } })
  const store = memoryStore()
  const output = recording(store)
  for (let count = 0; count < 2 && store.thread().standing.state?.type !== 'ended'; count++) {
    const brought = count === 0 ? { messages: [said('Go.')] } : { messages: [chosen], decisions: DECISIONS }
    const { over } = agent.run({ ...RUN, thread: store.thread(), clientTools: [CHOOSE], ...brought, output })
    await patiently(clock, over)
  }
  expect(store.thread().standing.state?.type).toBe('ended')
  return output.runs()
}

const NAMES = ['shows the truth', 'truth wins', 'well formed', 'one end'] as const
const judged = laws.filter(({ name }) => (NAMES as readonly string[]).includes(name))
/** All that was shown, none of it, and every other fragment. */
const SEEN: readonly Disturbance[] = [
  { kind: 'all' },
  { kind: 'none' },
  { kind: 'noise', fates: ['kept', 'doubled', 'lost', 'late'] },
]

const all = await subjects()

test('there are the wires of this repository, and the laws that are meant', () => {
  expect(new Set(all.map(({ protocol }) => protocol.name)).size).toBeGreaterThanOrEqual(6)
  expect(judged).toHaveLength(NAMES.length)
})

test.each(Object.keys(scenes) as SceneName[])('%s, on every wire and for each of its clients', async (scene) => {
  const runs = await play(scene)
  const broken: unknown[] = []
  for (const subject of all) {
    for (const [index, run] of runs.entries()) {
      const first = runs[index - 1]
      for (const disturbance of SEEN) {
        const sample = { run, ...(first ? { first } : {}), disturbance, reasoning: true, at: 1000 }
        for (const law of judged) {
          const wire = subject.label ?? subject.protocol.name
          const tell = (error: unknown): unknown =>
            broken.push({ wire, law: law.name, segment: index, seen: disturbance.kind, error })
          await Promise.resolve(law.check(subject, sample)).catch(tell)
        }
      }
    }
  }
  expect(broken).toEqual([])
})
