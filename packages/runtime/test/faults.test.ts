import {
  type AgentEvent,
  checkGrammar,
  type Decision,
  type Encodable,
  endsSegment,
  type Message,
  type Protocol,
  writer,
} from '@factwire/core'
import { inProcess, objection, provider, type Scene } from '@factwire/provider'
import { createSseReader } from '@factwire/sse'
import { laws, type LiveRun } from '@factwire/conformance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agent } from '../src/index.ts'
import { CHOOSE, modelOf, RUN, said, toolsOf, type Trace } from './agent.ts'
import { recording } from './as-run.ts'
import { anyFault, anyScene, type Fault, faulty } from './arbitraries.ts'
import { manualClock, patiently } from './clock.ts'
import { segmentsOf, wrongWith } from './inspect.ts'
import { type MemoryStore, memoryStore } from './store.ts'
import { subjects } from './subjects.ts'

const SEED = Number(process.env['FACTWIRE_SEED'] ?? 20_261_130)
const RUNS = Math.min(Number(process.env['FACTWIRE_RUNS'] ?? 100), 5000)

interface Played {
  readonly store: MemoryStore
  /** Its segments. */
  readonly runs: readonly LiveRun[]
  readonly requests: ReturnType<typeof provider>['requests']
  readonly trace: Trace
}

/** To its end, with a client that decides by the turn. */
async function play(scene: Scene, faults: readonly Fault[], yeses: readonly boolean[]): Promise<Played> {
  const clock = manualClock()
  const played = provider({ scene })
  let requests = 0
  let asked = 0
  const plain = inProcess(played, { disturb: (moves) => faulty(moves, faults[requests++] ?? { type: 'none' }) })
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const fault = faults[requests]
    const response = await plain(url, init)
    return fault?.type === 'refusal' ? new Response(response.body, { status: fault.status }) : response
  }
  const trace: Trace = []
  const limits = { steps: 4 }
  const { run } = agent({
    model: modelOf('scene'),
    fetch,
    clock,
    tools: toolsOf(trace),
    limits,
    fold: { reasoning: 'text' },
  })
  const store = memoryStore()
  const output = recording(store)
  for (let count = 0; store.thread().standing.state?.type !== 'ended'; count++) {
    const thread = store.thread()
    const waiting = thread.pending ?? []
    const decisions = waiting.flatMap(({ kind, tool_use_id }): Decision[] =>
      kind === 'approval' ? [{ tool_use_id, approved: yeses[asked++ % yeses.length] ?? true }] : [],
    )
    const results = waiting.flatMap(({ kind, tool_use_id }) => (kind === 'client' ? [resultOf(tool_use_id)] : []))
    const messages = count === 0 ? [said('Go.')] : results
    await patiently(clock, run({ ...RUN, thread, messages, decisions, clientTools: [CHOOSE], output }).over)
  }
  return { store, runs: output.runs(), requests: played.requests, trace }
}

const resultOf = (tool_use_id: string): Message => ({
  id: `result-${tool_use_id}`,
  role: 'tool',
  content: [{ type: 'tool_result', tool_use_id, content: [{ type: 'text', text: 'red' }], is_error: false }],
})

function bodyOf<Frame, Options>(
  wire: Encodable<Frame, Options>,
  events: readonly AgentEvent[],
  earlier: readonly Message[],
  options?: Options,
): string {
  const context = { ...RUN, model: 'm', startedAt: 0, history: earlier }
  const { push, close } = writer(wire, context, options === undefined ? {} : { transcoder: options })
  let text = ''
  for (const event of events) {
    text += push(event)
    if (endsSegment(event)) break
  }
  return text + close()
}

/** What a stream breaks of its wire's own rules. */
function breaches<Frame>(
  { grammar, framing }: Pick<Protocol<Frame>, 'grammar' | 'framing'>,
  text: string,
): readonly unknown[] {
  const reader = createSseReader()
  const frames = [...reader.push(text), ...reader.end()].flatMap((message) => framing.parse(message) ?? [])
  const check = checkGrammar(grammar)
  return [...frames.flatMap((frame) => check.push(frame)), ...check.end()]
}

const samples = fc.record({
  scene: anyScene,
  faults: fc.array(anyFault, { maxLength: 6 }),
  yeses: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
})

test('whatever the provider says and wherever it breaks, the thread can go to a model again', async () => {
  const endings = new Set<string>()
  await fc.assert(
    fc.asyncProperty(samples, async ({ scene, faults, yeses }) => {
      const { store, requests, trace } = await play(scene, faults, yeses)
      expect(wrongWith(store, trace)).toEqual([])
      expect(requests.flatMap((request) => objection(request) ?? [])).toEqual([])
      endings.add(endingOf(store))
    }),
    { seed: SEED, numRuns: RUNS },
  )
  expect(endings).not.toContain('runtime_failed')
  // Of every kind, or nothing was tried.
  const kinds = ['natural_end', 'max_steps', 'blocked', 'stream_interrupted', 'unauthorized', 'invalid_request']
  expect([...endings]).toEqual(expect.arrayContaining(kinds))
})

function endingOf(store: MemoryStore): string {
  const last = store.facts().at(-1)
  if (last?.type === 'run_failed') return last.code
  return last?.type === 'run_finished' ? (last.cause?.type ?? '') : ''
}

test('every stream of it keeps the rules of its wire', async () => {
  const wires = new Map((await subjects()).map((subject) => [subject.protocol.name, subject]))
  expect(wires.size).toBeGreaterThanOrEqual(6)
  await fc.assert(
    fc.asyncProperty(samples, async ({ scene, faults, yeses }) => {
      const { store } = await play(scene, faults, yeses)
      for (const events of segmentsOf(store.events).slice(0, 1)) {
        for (const { protocol, options } of wires.values()) {
          const broken = breaches(protocol, bodyOf(protocol, events, [said('Go.')], options))
          expect({ wire: protocol.name, broken }).toEqual({ wire: protocol.name, broken: [] })
        }
      }
    }),
    { seed: SEED + 1, numRuns: RUNS },
  )
})

/** Clients cost much: of the samples above so many are read by them. */
const READ = Math.ceil(RUNS / 10)

test('whatever the provider says and wherever it breaks, each client that was there ends with what was committed', async () => {
  const wires = new Map((await subjects()).map((subject) => [subject.protocol.name, subject]))
  const judged = laws.filter(({ name }) => name === 'truth wins' || name === 'shows the truth')
  expect(judged).toHaveLength(2)
  await fc.assert(
    fc.asyncProperty(samples, async ({ scene, faults, yeses }) => {
      const { runs } = await play(scene, faults, yeses)
      // A client of these knows one segment before its own.
      for (const [index, run] of runs.slice(0, 2).entries()) {
        const first = runs[index - 1]
        const sample = { run, ...(first ? { first } : {}), disturbance: { kind: 'all' }, reasoning: true, at: 0 }
        for (const subject of wires.values()) for (const law of judged) await law.check(subject, sample)
      }
    }),
    { seed: SEED + 2, numRuns: READ },
  )
})
