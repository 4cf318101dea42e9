/** Every scene on every wire, read by the clients that judge the wire: those who were there and those who have the facts alone. */
import type { Disturbance, Law, LiveRun } from '@factwire/conformance'
import { laws } from '@factwire/conformance'
import type { Decision, Message } from '@factwire/core'
import { type SceneName, scenes } from '@factwire/provider'
import { expect, test } from 'vitest'
import { CHOOSE, no, RUN, said, world, yes } from './agent.ts'
import { recording } from './as-run.ts'
import { patiently } from './clock.ts'
import { memoryStore } from './store.ts'
import { subjects } from './subjects.ts'

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

/** What is looked at, and with how much of the live stream: all of it, none, or what a bad connection leaves. */
const ALL: Disturbance = { kind: 'all' }
const CHECKS: readonly (readonly [law: string, seen: Disturbance])[] = [
  ['shows the truth', { kind: 'none' }],
  ['well formed', ALL],
  ['truth wins', ALL],
  ['truth wins', { kind: 'noise', fates: ['kept', 'doubled', 'lost', 'late'] }],
]

function lawOf(name: string): Law {
  const law = laws.find((one) => one.name === name)
  if (!law) throw new Error(`there is no law that says: ${name}`)
  return law
}

const all = await subjects()

test('there are the wires of this repository, each with all its clients', () => {
  expect(new Set(all.map(({ protocol }) => protocol.name)).size).toBeGreaterThanOrEqual(6)
  expect(all.length).toBeGreaterThanOrEqual(14)
})

test.each(Object.keys(scenes) as SceneName[])('%s, on every wire and for each of its clients', async (scene) => {
  const broken: unknown[] = []
  let first: LiveRun | undefined
  for (const run of await play(scene)) {
    for (const subject of all) {
      for (const [name, disturbance] of CHECKS) {
        const sample = { run, ...(first ? { first } : {}), disturbance, reasoning: true, at: 0 }
        const wire = subject.label ?? subject.protocol.name
        const tell = (error: unknown): unknown => broken.push({ wire, name, seen: disturbance.kind, error })
        await Promise.resolve(lawOf(name).check(subject, sample)).catch(tell)
      }
    }
    first = run
  }
  expect(broken).toEqual([])
})
