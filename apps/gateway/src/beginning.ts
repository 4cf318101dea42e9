/**
 * Begins runs, and goes on with those that wait: what a request asks for follows from where its thread stands.
 *
 * A request that is sent again gets what it got before: a run that there is is shown, not begun a second time.
 */
import type { Message, RunRequest } from '@factwire/core'
import type { RunRecord } from '@factwire/hub'
import { saidIn } from '@factwire/runtime'
import type { Agents } from './agents.ts'
import type { Begin, Beginning, Beginnings, Begun, NewRun, News } from './begin.ts'
import { freshId } from './ids.ts'
import type { Locks } from './locks.ts'
import { instructed } from './instructed.ts'
import { answers, checkSame, hasNews, goesOnWith, unheard } from './news.ts'
import type { Noted } from './notes.ts'
import { Refused } from './refused.ts'
import type { Segment, Segments } from './segments.ts'
import { type KeptRun, type Storage, waitingFor } from './storage.ts'
import { committedOf, digestUnder, segmentsOf } from './thread.ts'
import { type From, goingOn } from './threaded.ts'

export interface BeginningOptions {
  readonly storage: Storage
  readonly agents: Agents
  readonly driven: Segments
  readonly perThread: Locks
  /** How many may be written at once. */
  readonly most: number
  /** Ends a run that nobody writes any more. */
  settle(runId: string): Promise<unknown>
}

export function beginning({ storage, agents, driven, perThread, most, settle }: BeginningOptions): Beginning {
  const { facts } = storage

  async function begin<Looked>(asked: Begin<Looked>): Promise<Begun<Looked>> {
    if (asked.follows !== undefined) return beginAfter(asked.follows, asked)
    if (asked.threadId === undefined) return beginAlone(asked)
    const { threadId } = asked
    return perThread.run(threadId, async () => beginIn(threadId, asked))
  }

  async function beginAfter<Looked>(follows: string, asked: Begin<Looked>): Promise<Begun<Looked>> {
    const record = await facts.load(follows)
    if (!record) throw new Refused(404, 'unknown_run', 'there is nothing of that id to go on from')
    const { threadId } = record.run
    return perThread.run(threadId, async () => {
      if ((await lastSettled(threadId))?.run.runId === follows) return beginIn(threadId, asked)
      const there = await begunBefore(asked)
      if (there) return shown(there, asked)
      const { messages } = await committedOf(facts, record)
      return newIn(
        freshId('thread'),
        { runId: follows, messages },
        asked,
        asked.read({ known: idsOf(messages), open: [] }),
      )
    })
  }

  /** The run that the same request has begun, or gone on with. */
  async function begunBefore({
    runId,
    digest,
  }: Pick<Begin<never>, 'runId' | 'digest'>): Promise<RunRecord | undefined> {
    if (runId === undefined) return undefined
    const begun = await facts.load(runId)
    if (begun) checkSame(runId, (begun.run as KeptRun).digest, digest)
    if (begun) return begun
    const [goneOn] = await storage.runs({ mark: runId, limit: 1 })
    if (!goneOn) return undefined
    const { runId: other } = goneOn.run
    if (digest !== undefined) checkSame(other, await digestUnder(facts, other, runId), digest)
    return facts.load(other)
  }

  /** The request is the thread, unless it answers what a run waits for. */
  async function beginAlone<Looked>(asked: Begin<Looked>): Promise<Begun<Looked>> {
    const runId = asked.runId ?? freshId('run')
    return perThread.run(runId, async () => {
      const there = await begunBefore(asked)
      if (there) return shown(there, asked)
      const whole = asked.read({})
      const answered = await answeredAlone(asked, whole)
      if (answered) return answered
      if (whole.messages.length === 0) throw nothingSaid()
      return newRun({ threadId: freshId('thread'), runId, messages: whole.messages }, asked, whole)
    })
  }

  async function answeredAlone<Looked>(asked: Begin<Looked>, whole: RunRequest): Promise<Begun<Looked> | undefined> {
    const results = whole.messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result')
    for (const block of results.toReversed()) {
      if (block.type !== 'tool_result') continue
      const call = asked.callOf?.(block.tool_use_id) ?? block.tool_use_id
      for await (const { run } of waitingFor(storage, call)) {
        const answered = await perThread.run(run.threadId, async () => answeredBy(run.runId, asked, whole))
        if (answered) return answered
      }
    }
    return undefined
  }

  /** A run that waits for what the request answers, and is the conversation that the request brings. */
  async function answeredBy<Looked>(
    runId: string,
    asked: Begin<Looked>,
    whole: RunRequest,
  ): Promise<Begun<Looked> | undefined> {
    const record = await facts.load(runId)
    if (record?.standing.state?.type !== 'awaiting') return undefined
    const committed = await committedOf(facts, record)
    if (!goesOnWith(committed.messages, whole.messages)) return undefined
    const request = asked.read({ known: idsOf(committed.messages), open: committed.pending ?? [] })
    return hasNews(request) ? goOn(record, committed, asked, request) : undefined
  }

  async function beginIn<Looked>(threadId: string, asked: Begin<Looked>): Promise<Begun<Looked>> {
    const last = await lastSettled(threadId)
    if (!last) return newIn(threadId, undefined, asked, asked.read({ known: new Set(), open: [] }))
    const committed = await committedOf(facts, last)
    const from: From = { runId: last.run.runId, messages: committed.messages }
    const { state } = committed.standing
    const open = state?.type === 'awaiting' ? (committed.pending ?? []) : []
    const request = asked.read({ known: idsOf(committed.messages), open })
    // First of all, because the thread may have moved on since, or wait: the words were heard already.
    const there = await begunBefore(asked)
    const answersNow = asked.digest === undefined && open.length > 0 && answers(request)
    if (there?.run.threadId === threadId && !answersNow) {
      const said = await saidTo(last.run.runId)
      if (asked.digest === undefined && unheard(request, said)) throw otherWords(there.run.runId)
      return shown(there, asked)
    }
    const place = asked.again === undefined ? -1 : committed.messages.findIndex(({ id }) => id === asked.again)
    if (place >= 0 && state?.type === 'ended') {
      const messages = [...committed.messages.slice(0, place + 1), ...request.messages]
      return newRun({ threadId, runId: asked.runId ?? freshId('run'), messages, from }, asked, request)
    }
    if (!hasNews(request)) {
      if (request.messages.length > 0) throw nothingSaid()
      return shown(last, asked)
    }
    if (state?.type === 'awaiting') return goOn(last, committed, asked, request)
    if (state?.type !== 'ended') throw busy(last.run.runId)
    return newIn(threadId, from, asked, request)
  }

  /** What was said to a run, and is in its thread only when the run has gone on. */
  async function saidTo(runId: string): Promise<ReadonlySet<string>> {
    return idsOf(await saidIn(storage.journal)(runId))
  }

  async function newIn<Looked>(
    threadId: string,
    from: From | undefined,
    asked: Begin<Looked>,
    request: RunRequest,
  ): Promise<Begun<Looked>> {
    const runId = asked.runId ?? freshId('run')
    const there = await facts.load(runId)
    if (there && there.run.threadId !== threadId)
      throw new Refused(409, 'run_exists', `${runId} is a run of another thread`)
    if (there) checkSame(runId, (there.run as KeptRun).digest, asked.digest)
    if (there) return shown(there, asked)
    if (request.messages.length === 0) throw nothingSaid()
    const messages = [...(from?.messages ?? []), ...request.messages]
    return newRun({ threadId, runId, messages, ...(from ? { from } : {}) }, asked, request)
  }

  async function newRun<Looked>(
    { threadId, runId, messages, from }: Beginnings,
    { wire, model, instructions, kept, digest, look }: NewRun<Looked>,
    { tools, parentRunId, model: wanted = model }: RunRequest,
  ): Promise<Begun<Looked>> {
    const told = instructed(messages, 'first', instructions)
    const run: KeptRun = {
      threadId,
      runId,
      ...(parentRunId === undefined ? {} : { parentRunId }),
      model: agents.modelFor(wanted),
      startedAt: Date.now(),
      history: told.messages,
      wire,
      ...(from ? { goesOn: goingOn(from, told.messages) } : {}),
      ...(told.instructions === undefined ? {} : { instructions: told.instructions }),
      ...(digest === undefined ? {} : { digest }),
      ...(tools.length > 0 ? { tools } : {}),
    }
    const thread = { messages: told.messages, standing: { openCalls: [] } }
    const asked = kept === undefined ? {} : { noted: { asked: kept } }
    return begun(run, await start({ run, thread, ...asked, look: async () => look({ runId, segment: 0 }, [], []) }))
  }

  async function goOn<Looked>(
    { run }: RunRecord,
    committed: Awaited<ReturnType<typeof committedOf>>,
    { look, instructions, kept: asked, runId, digest }: GoesOn<Looked>,
    { messages, decisions, tools }: News,
  ): Promise<Begun<Looked>> {
    const place = { runId: run.runId, segment: (await segmentsOf(facts, run.runId)).segment }
    const before = committed.messages
    const since = run as KeptRun
    const told = instructed(messages, before.length === 0 ? 'first' : 'behind', instructions ?? since.instructions)
    const kept = {
      ...since,
      ...(told.instructions === undefined ? {} : { instructions: told.instructions }),
      ...(tools.length > 0 ? { tools } : {}),
    }
    const goesOn = async (): Promise<Looked> => look(place, told.messages, before)
    const noted: Noted = {
      ...(asked === undefined ? {} : { asked }),
      ...(runId === undefined || runId === run.runId ? {} : { mark: runId }),
      ...(digest === undefined ? {} : { digest }),
    }
    const options = { run: kept, noted, thread: committed, messages: told.messages, decisions, look: goesOn }
    return begun(run, await start(options))
  }

  function start<Looked>(options: Parameters<typeof driven.start<Looked>>[0]): Promise<Segment<Looked>> {
    if (driven.count() >= most) {
      throw new Refused(429, 'too_many_runs', `${most} runs go on already`, { headers: { 'retry-after': '5' } })
    }
    return driven.start(options)
  }

  const begun = <Looked>({ runId, threadId }: KeptRun | RunRecord['run'], segment: Segment<Looked>): Begun<Looked> => ({
    runId,
    threadId,
    ...segment,
  })

  async function shown<Looked>({ run }: RunRecord, { look }: Pick<Begin<Looked>, 'look'>): Promise<Begun<Looked>> {
    const { runId, threadId } = run
    const over = driven.active.get(runId)?.over ?? Promise.resolve()
    const { segment } = await segmentsOf(facts, runId)
    return { runId, threadId, looked: await look({ runId, segment: Math.max(segment - 1, 0) }, [], []), over }
  }

  /** One that a process before this one has left in the middle is ended first. */
  async function lastSettled(threadId: string): Promise<RunRecord | undefined> {
    const last = await lastOf(threadId)
    const state = last?.standing.state
    if (!last || (state && state.type !== 'running') || driven.active.has(last.run.runId)) return last
    await settle(last.run.runId)
    return facts.load(last.run.runId)
  }

  async function lastOf(threadId: string): Promise<RunRecord | undefined> {
    const [last] = await storage.runs({ thread: threadId, limit: 1 })
    return last && facts.load(last.run.runId)
  }

  return { begin, newRun, goOn, lastOf, lastSettled }
}

export const idsOf = (messages: readonly Message[]): ReadonlySet<string> => new Set(messages.map(({ id }) => id))

type GoesOn<Looked> = Pick<Begin<Looked>, 'look' | 'instructions' | 'kept' | 'runId' | 'digest'>

const otherWords = (runId: string): Refused =>
  new Refused(409, 'run_exists', 'another request has come under that run id, with other messages: take a new one', {
    more: { run_id: runId },
  })

const nothingSaid = (): Refused => new Refused(400, 'invalid_value', 'messages: there is none that a run could answer')

export const busy = (runId: string): Refused =>
  new Refused(409, 'run_active', `${runId} goes on: say it to POST /v1/runs/${runId}/inputs, or wait for its end`, {
    more: { run_id: runId },
  })
