/**
 * The runs of one tenant: begins them, goes on with them, says things to them.
 *
 * A client that sends something again gets what it got before: a run that there is is shown, not begun a second time, a decision counts
 * once, and what was said is known by its id.
 */
import type { Decision, Message, Pending, RequestOptions, RunRequest } from '@factwire/core'
import type { Hub, RunRecord } from '@factwire/hub'
import type { Agents } from './agents.ts'
import { freshId } from './ids.ts'
import { locks } from './locks.ts'
import { Refused } from './refused.ts'
import { type Look, type Segment, type Segments, segments } from './segments.ts'
import type { KeptRun, Storage } from './storage.ts'
import { committedOf } from './thread.ts'

export interface Begin<Looked> {
  /** Absent: the request brings the whole conversation, and the thread is new. */
  readonly threadId?: string
  /** Of the run, if it begins. One that there is already is shown. */
  readonly runId?: string
  readonly wire: string
  readonly model?: string
  /** Reads the request, knowing what the thread has. */
  read(known: RequestOptions): RunRequest
  /** `brought`: what the client has beyond the stored thread. */
  look(runId: string, brought: readonly Message[]): Promise<Looked>
}

export interface Begun<Looked> {
  readonly runId: string
  readonly threadId: string
  readonly looked: Looked
  /** Settles when what the request asked for is over. */
  readonly over: Promise<void>
}

/** What came of something that was said to a run. */
export interface Heard {
  readonly runId: string
  readonly status: 'steered' | 'begun'
}

export interface Runs {
  begin<Looked>(options: Begin<Looked>): Promise<Begun<Looked>>
  /** @throws Refused 404 */
  find(runId: string): Promise<RunRecord>
  /** The last run of a thread. */
  lastOf(threadId: string): Promise<RunRecord | undefined>
  say(runId: string, messages: readonly Message[], fresh: string): Promise<Heard>
  decide(runId: string, callId: string, answer: Answer): Promise<'decided' | 'already_decided'>
  cancel(runId: string): Promise<boolean>
  readonly segments: Segments
}

/** How somebody answers a call that waits: as a decision, or, where the client runs the tool, as its result. */
export interface Answer {
  decision(pending: Pending): Decision
  result(callId: string): Message
}

export interface RunsOptions {
  readonly hub: Hub
  readonly storage: Storage
  readonly agents: Agents
  /** How many may be written at once. */
  readonly most: number
  onError(error: unknown): void
}

const nobody = async (): Promise<undefined> => undefined

export function runs({ hub, storage, agents, most, onError }: RunsOptions): Runs {
  const { facts, journal } = storage
  const driven = segments({ hub, storage, agentOf: agents.agentOf, onError })
  const perThread = locks()

  async function begin<Looked>(asked: Begin<Looked>): Promise<Begun<Looked>> {
    if (asked.threadId === undefined) return beginAlone(asked)
    const { threadId } = asked
    return perThread.run(threadId, async () => beginIn(threadId, asked))
  }

  /** The request is the thread, unless it answers what a run waits for. */
  async function beginAlone<Looked>(asked: Begin<Looked>): Promise<Begun<Looked>> {
    const whole = asked.read({})
    const results = whole.messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result')
    for (const block of results.toReversed()) {
      if (block.type !== 'tool_result') continue
      for (const { run } of await storage.runs({ call: block.tool_use_id, limit: 20 })) {
        const answered = await perThread.run(run.threadId, async () => answeredBy(run.runId, asked, whole))
        if (answered) return answered
      }
    }
    const threadId = freshId('thread')
    return perThread.run(threadId, async () => {
      if (whole.messages.length === 0) throw new Refused(400, 'invalid_value', 'messages: there is none')
      const runId = asked.runId ?? freshId('run')
      const there = await facts.load(runId)
      if (there) return shown(there, asked)
      return newRun({ threadId, runId, messages: whole.messages }, asked, whole)
    })
  }

  /** A run that waits for what the request answers, and has heard the same words before. */
  async function answeredBy<Looked>(
    runId: string,
    asked: Begin<Looked>,
    whole: RunRequest,
  ): Promise<Begun<Looked> | undefined> {
    const record = await facts.load(runId)
    if (record?.standing.state?.type !== 'awaiting') return undefined
    const committed = await committedOf(facts, record)
    if (!saysTheSame(committed.messages, whole.messages)) return undefined
    const request = asked.read({ known: idsOf(committed.messages), open: committed.pending ?? [] })
    return hasNews(request) ? goOn(record, committed, asked, request) : undefined
  }

  async function beginIn<Looked>(threadId: string, asked: Begin<Looked>): Promise<Begun<Looked>> {
    const last = await lastOf(threadId)
    if (!last) return newIn(threadId, [], asked, asked.read({ known: new Set(), open: [] }))
    const committed = await committedOf(facts, last)
    const { state } = committed.standing
    const open = state?.type === 'awaiting' ? (committed.pending ?? []) : []
    const request = asked.read({ known: idsOf(committed.messages), open })
    if (!hasNews(request) || last.run.runId === asked.runId) return shown(last, asked)
    if (state?.type === 'awaiting') return goOn(last, committed, asked, request)
    if (state?.type !== 'ended') throw busy(last.run.runId)
    return newIn(threadId, committed.messages, asked, request)
  }

  async function newIn<Looked>(
    threadId: string,
    before: readonly Message[],
    asked: Begin<Looked>,
    request: RunRequest,
  ): Promise<Begun<Looked>> {
    const runId = asked.runId ?? freshId('run')
    const there = await facts.load(runId)
    if (there && there.run.threadId !== threadId)
      throw new Refused(409, 'run_exists', `${runId} is a run of another thread`)
    if (there) return shown(there, asked)
    if (request.messages.length === 0) throw new Refused(400, 'invalid_value', 'messages: there is none')
    return newRun({ threadId, runId, messages: [...before, ...request.messages] }, asked, request)
  }

  async function newRun<Looked>(
    {
      threadId,
      runId,
      messages,
    }: { readonly threadId: string; readonly runId: string; readonly messages: readonly Message[] },
    { wire, model, look }: Begin<Looked>,
    { tools, parentRunId, model: wanted = model }: RunRequest,
  ): Promise<Begun<Looked>> {
    const run: KeptRun = {
      threadId,
      runId,
      ...(parentRunId === undefined ? {} : { parentRunId }),
      model: agents.modelFor(wanted),
      startedAt: Date.now(),
      history: messages,
      wire,
      ...(tools.length > 0 ? { tools } : {}),
    }
    const thread = { messages, standing: { openCalls: [] } }
    return begun(run, await start({ run, thread, look: async () => look(runId, []) }))
  }

  async function goOn<Looked>(
    { run }: RunRecord,
    committed: Awaited<ReturnType<typeof committedOf>>,
    { look }: Pick<Begin<Looked>, 'look'>,
    { messages, decisions, tools }: Pick<RunRequest, 'messages' | 'decisions' | 'tools'>,
  ): Promise<Begun<Looked>> {
    const kept = { ...(run as KeptRun), ...(tools.length > 0 ? { tools } : {}) }
    const options = { run: kept, thread: committed, messages, decisions, look: async () => look(run.runId, messages) }
    return begun(run, await start(options))
  }

  function start<Looked>(options: Parameters<typeof driven.start<Looked>>[0]): Promise<Segment<Looked>> {
    if (driven.active.size >= most) {
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
    return { runId, threadId, looked: await look(runId, []), over }
  }

  async function lastOf(threadId: string): Promise<RunRecord | undefined> {
    return (await storage.runs({ thread: threadId, limit: 1 }))[0]
  }

  async function find(runId: string): Promise<RunRecord> {
    const record = await facts.load(runId)
    if (!record) throw new Refused(404, 'unknown_run', 'there is no such run')
    return record
  }

  async function say(runId: string, messages: readonly Message[], fresh: string): Promise<Heard> {
    const { run } = await find(runId)
    return perThread.run(run.threadId, async () => {
      if (await facts.load(fresh)) return { runId: fresh, status: 'begun' }
      for (;;) {
        const last = (await lastOf(run.threadId)) ?? (await find(runId))
        const active = driven.active.get(last.run.runId)
        if (active && (await active.push(messages))) return { runId: last.run.runId, status: 'steered' }
        if (active) await active.over
        else return hear(last, messages, fresh)
      }
    })
  }

  async function hear(last: RunRecord, messages: readonly Message[], fresh: string): Promise<Heard> {
    const committed = await committedOf(facts, last)
    const known = idsOf(committed.messages)
    if (messages.every(({ id }) => known.has(id))) return { runId: last.run.runId, status: 'steered' }
    const { state } = committed.standing
    if (state?.type === 'awaiting') throw awaits(last.run.runId, committed.pending ?? [])
    if (state?.type !== 'ended') throw busy(last.run.runId)
    const { threadId, model, wire, tools } = last.run as KeptRun
    const history = [...committed.messages, ...messages]
    const request = { stream: true, messages, decisions: [], tools: tools ?? [] }
    const asked = { wire, ...(model === undefined ? {} : { model }), read: () => request, look: nobody }
    await newRun({ threadId, runId: fresh, messages: history }, asked, request)
    return { runId: fresh, status: 'begun' }
  }

  async function decide(runId: string, callId: string, answer: Answer): Promise<'decided' | 'already_decided'> {
    const { run } = await find(runId)
    const waiting = async (): Promise<'decided' | 'already_decided'> => {
      const record = await find(runId)
      const committed = await committedOf(facts, record)
      const pending = committed.pending?.find((one) => one.tool_use_id === callId || one.approval_id === callId)
      if (!pending) {
        if (callsIn(committed.messages).has(callId)) return 'already_decided'
        throw new Refused(404, 'unknown_call', 'the run waits for no such call')
      }
      const active = driven.active.get(runId)
      if (active) {
        await active.over
        return waiting()
      }
      if (record.standing.state?.type !== 'awaiting') throw busy(runId)
      const isClients = pending.kind === 'client'
      const messages = isClients ? [answer.result(pending.tool_use_id)] : []
      const decisions = isClients ? [] : [answer.decision(pending)]
      await goOn(record, committed, { look: nobody }, { messages, decisions, tools: [] })
      return 'decided'
    }
    return perThread.run(run.threadId, waiting)
  }

  return {
    begin,
    find,
    lastOf,
    say,
    decide,
    async cancel(runId) {
      await find(runId)
      const asked = await hub.ask(runId, { type: 'cancelled' })
      // What was said to a run that waited has nobody to hear it any more.
      if (asked && !driven.active.has(runId)) await journal.clear(runId)
      return asked
    },
    segments: driven,
  }
}

const idsOf = (messages: readonly Message[]): ReadonlySet<string> => new Set(messages.map(({ id }) => id))

const callsIn = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))))

const hasNews = ({ messages, decisions }: RunRequest): boolean => messages.length > 0 || decisions.length > 0

/** Whether a request begins with all that users have said in a thread. */
function saysTheSame(thread: readonly Message[], request: readonly Message[]): boolean {
  const told = (messages: readonly Message[]): readonly string[] =>
    messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content))
  const asked = told(request)
  return told(thread).every((words, index) => words === asked[index])
}

const busy = (runId: string): Refused =>
  new Refused(409, 'run_active', `${runId} goes on: say it to POST /v1/runs/${runId}/inputs, or wait for its end`, {
    more: { run_id: runId },
  })

const awaits = (runId: string, pending: readonly Pending[]): Refused =>
  new Refused(409, 'run_awaits', `${runId} waits for an answer: POST /v1/runs/${runId}/decision takes it`, {
    more: { run_id: runId, pending: pending.map((one) => ({ ...one })) },
  })

export type { Look }
