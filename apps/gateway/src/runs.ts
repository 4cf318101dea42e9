/**
 * The runs of one tenant: begins them, says things to them, ends them.
 *
 * A decision counts once, and what was said is known by its id: whoever is not sure says it again.
 */
import type { Decision, Message, Pending } from '@factwire/core'
import type { Hub, RunRecord } from '@factwire/hub'
import type { Agents } from './agents.ts'
import { sse } from '@factwire/sse'
import type { Beginning } from './begin.ts'
import { beginning, busy, idsOf } from './beginning.ts'
import { checkSame } from './news.ts'
import { expiry } from './expiry.ts'
import { locks } from './locks.ts'
import type { Noted } from './notes.ts'
import { Refused } from './refused.ts'
import { type Segments, segments } from './segments.ts'
import type { KeptRun, Storage } from './storage.ts'
import { committedOf, segmentsOf } from './thread.ts'

/** What came of something that was said to a run. */
export interface Heard {
  readonly runId: string
  readonly status: 'steered' | 'begun'
}

export interface Said {
  readonly messages: readonly Message[]
  /** Of the run that begins, if one does. */
  readonly fresh: string
  readonly digest?: string
}

export interface Runs {
  readonly begin: Beginning['begin']
  /** @throws Refused 404 */
  find(runId: string): Promise<RunRecord>
  /** The last run of a thread. */
  lastOf(threadId: string): Promise<RunRecord | undefined>
  say(runId: string, said: Said): Promise<Heard>
  decide(runId: string, callId: string, answer: Answer): Promise<Decided>
  /** `segment`: only while that one is the last. */
  cancel(runId: string, segment?: number): Promise<boolean>
  readonly segments: Segments
  /** Nothing goes on by itself any more. */
  stop(): void
}

/** `already_settled`: nothing waits for that call any more. It was decided, it ran out, or its run ended. */
export interface Decided {
  readonly status: 'decided' | 'already_settled'
  /** What it was taken for, where it was an approval. */
  readonly approved?: boolean
}

/** How somebody answers a call that waits: as a decision, or, where the client runs the tool, as its result. */
export interface Answer {
  /** @throws Refused 422 where it is neither a yes nor a no. */
  decision(pending: Pending): Decision
  result(callId: string): Message
}

export interface RunsOptions {
  readonly hub: Hub
  readonly storage: Storage
  readonly agents: Agents
  /** How many may be written at once. */
  readonly most: number
  /** Keeps what a segment is asked for with its first step. */
  note(runId: string, noted: Noted | undefined): void
  onError(error: unknown): void
}

const nobody = async (): Promise<undefined> => undefined

export function runs({ hub, storage, agents, most, note, onError }: RunsOptions): Runs {
  const { facts, journal } = storage
  const expiring = expiry(storage, runOut)
  const onOver = (runId: string): void => void expiring.watch(runId).catch(onError)
  const driven = segments({ hub, storage, agentOf: agents.agentOf, note, onError, onOver })
  const perThread = locks()
  // The hub looks at a run that is asked for, and ends one that is lost.
  const settle = async (runId: string): Promise<unknown> => hub.attach(runId, sse)
  const begins = beginning({ storage, agents, driven, perThread, most, settle })
  const { begin, newRun, goOn, lastOf, lastSettled } = begins

  async function find(runId: string): Promise<RunRecord> {
    const record = await facts.load(runId)
    if (!record) throw new Refused(404, 'unknown_run', 'there is no such run')
    return record
  }

  async function say(runId: string, said: Said): Promise<Heard> {
    const { messages, fresh } = said
    const { run } = await find(runId)
    return perThread.run(run.threadId, async () => {
      const there = await facts.load(fresh)
      if (there) checkSame(fresh, (there.run as KeptRun).digest, said.digest)
      if (there) return { runId: fresh, status: 'begun' }
      for (;;) {
        const last = (await lastSettled(run.threadId)) ?? (await find(runId))
        const active = driven.active.get(last.run.runId)
        if (active && (await active.push(messages))) return { runId: last.run.runId, status: 'steered' }
        if (active) await active.over
        else return hear(last, said)
      }
    })
  }

  async function hear(last: RunRecord, { messages, fresh, digest }: Said): Promise<Heard> {
    const committed = await committedOf(facts, last)
    const known = idsOf(committed.messages)
    if (messages.every(({ id }) => known.has(id))) return { runId: last.run.runId, status: 'steered' }
    const { state } = committed.standing
    if (state?.type === 'awaiting') throw awaits(last.run.runId, committed.pending ?? [])
    if (state?.type !== 'ended') throw busy(last.run.runId)
    const { threadId, model, wire, tools } = last.run as KeptRun
    const history = [...committed.messages, ...messages]
    const request = { stream: true, messages, decisions: [], tools: tools ?? [] }
    const same = digest === undefined ? {} : { digest }
    const asked = { wire, ...same, ...(model === undefined ? {} : { model }), read: () => request, look: nobody }
    const from = { runId: last.run.runId, messages: committed.messages }
    await newRun({ threadId, runId: fresh, messages: history, from }, asked, request)
    return { runId: fresh, status: 'begun' }
  }

  async function decide(runId: string, callId: string, answer: Answer): Promise<Decided> {
    const { run } = await find(runId)
    for (;;) {
      const became = await perThread.run(run.threadId, async () => attempt(runId, callId, answer))
      if ('status' in became) return became
      await became.over
    }
  }

  /** What the run has to end with first. */
  async function attempt(
    runId: string,
    callId: string,
    answer: Answer,
  ): Promise<Decided | { readonly over: Promise<void> }> {
    const record = await find(runId)
    const committed = await committedOf(facts, record)
    const pending = committed.pending?.find((one) => one.tool_use_id === callId || one.approval_id === callId)
    if (!pending) {
      if (callsIn(committed.messages).has(callId)) return { status: 'already_settled' }
      throw new Refused(404, 'unknown_call', 'the run waits for no such call')
    }
    const active = driven.active.get(runId)
    if (active) return active
    if (record.standing.state?.type !== 'awaiting') throw busy(runId)
    const isClients = pending.kind === 'client'
    const messages = isClients ? [answer.result(pending.tool_use_id)] : []
    const decisions = isClients ? [] : [answer.decision(pending)]
    await goOn(record, committed, { look: nobody }, { messages, decisions, tools: [] })
    const [approval] = decisions
    return { status: 'decided', ...(approval ? { approved: approval.approved } : {}) }
  }

  async function runOut(runId: string): Promise<void> {
    const { run } = await find(runId)
    await perThread.run(run.threadId, async () => {
      const record = await find(runId)
      if (record.standing.state?.type !== 'awaiting' || driven.active.has(runId)) return
      const committed = await committedOf(facts, record)
      await goOn(record, committed, { look: nobody }, { messages: [], decisions: [], tools: [] })
    })
  }

  async function end(runId: string): Promise<boolean> {
    const asked = await hub.ask(runId, { type: 'cancelled' })
    // What was said to a run that waited has nobody to hear it any more.
    if (asked && !driven.active.has(runId)) await journal.clear(runId)
    return asked
  }

  void expiring.watchAll().catch(onError)
  return {
    begin,
    find,
    lastOf,
    say,
    decide,
    async cancel(runId, segment) {
      const { run } = await find(runId)
      if (segment === undefined) return end(runId)
      // Nothing goes on with it in between.
      return perThread.run(run.threadId, async () => {
        const { segment: count } = await segmentsOf(facts, runId)
        return segment === Math.max(count - 1, 0) && (await end(runId))
      })
    },
    segments: driven,
    stop: expiring.stop,
  }
}

const callsIn = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))))

const awaits = (runId: string, pending: readonly Pending[]): Refused =>
  new Refused(409, 'run_awaits', `${runId} waits for an answer: POST /v1/runs/${runId}/decision takes it`, {
    more: { run_id: runId, pending: pending.map((one) => ({ ...one })) },
  })
