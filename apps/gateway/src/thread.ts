/** The committed thread as it stands after a run, read from the store. */
import type { Committed, Fact, Json, Message } from '@factwire/core'
import type { FactStore, RunRecord, StoredStep } from '@factwire/hub'
import type { Noted } from './notes.ts'

const PAGE = 64

/** All steps of a run, in order. */
export async function* stepsOf(facts: FactStore, runId: string): AsyncGenerator<StoredStep> {
  for (let after = 0; ;) {
    const page = await facts.steps(runId, after, PAGE)
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.revision
  }
}

export interface Segments {
  /** Facts of the one that was wanted, else of the last. */
  readonly facts: readonly Fact[]
  /** What was said in the segments before it. */
  readonly before: readonly Message[]
  /** What it was asked for. */
  readonly asked: Json | undefined
  /** How many there are. */
  readonly segment: number
}

/** `wanted` counts from 0. */
export async function segmentsOf(store: FactStore, runId: string, wanted?: number): Promise<Segments> {
  let facts: Fact[] = []
  let before: Message[] = []
  let asked: Json | undefined
  const said: Message[] = []
  let segment = 0
  for await (const step of stepsOf(store, runId)) {
    const ends = segment > 0 && isEndOfWait(step)
    if (ends && facts.at(-1)?.type === 'awaiting') facts.pop()
    for (const { fact } of step.facts) {
      const begins = fact.type === 'run_started'
      if (begins && ends) continue
      if (begins) segment++
      if (wanted !== undefined && segment - 1 !== wanted) continue
      if (begins) {
        facts = []
        before = [...said]
        asked = askedIn(step)
      }
      facts.push(fact)
    }
    said.push(...step.commit.messages)
  }
  return { facts, before, asked, segment }
}

/** A run that waited was cancelled. That is no segment of its own: the one that it waited in ends so. */
const isEndOfWait = (step: StoredStep): boolean => {
  const [first] = step.facts
  const last = step.facts.at(-1)?.fact
  const isCancelled = last?.type === 'run_finished' && last.cause?.type === 'cancelled'
  return first?.fact.type === 'run_started' && isCancelled && askedIn(step) === undefined
}

/** The digest of the request that has gone on with a run under this mark. */
export async function digestUnder(store: FactStore, runId: string, mark: string): Promise<string | undefined> {
  for await (const step of stepsOf(store, runId)) {
    const noted: StoredStep & Noted = step
    if (noted.mark === mark) return noted.digest
  }
  return undefined
}

const askedIn = ({ asked }: StoredStep & Noted): Json | undefined => asked

export async function committedOf(facts: FactStore, { run }: RunRecord): Promise<Committed> {
  const messages: Message[] = [...(run.history ?? [])]
  let now: Omit<Committed, 'messages'> = { standing: { openCalls: [] } }
  for await (const { commit, after } of stepsOf(facts, run.runId)) {
    messages.push(...commit.messages)
    const { snapshot = now.snapshot, pending = now.pending, result = now.result } = commit
    now = {
      standing: after,
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(pending && after.state?.type !== 'ended' ? { pending } : {}),
      ...(result === undefined ? {} : { result }),
    }
  }
  const open = new Set(now.standing.openCalls.map(({ id }) => id))
  const waiting = now.pending?.filter(({ tool_use_id }) => open.has(tool_use_id))
  const { pending: _, ...rest } = now
  return { messages, ...rest, ...(waiting && waiting.length > 0 ? { pending: waiting } : {}) }
}
