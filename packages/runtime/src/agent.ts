/** An agent: a model and tools, and everything of the outside that a run needs, as ports. */
import {
  type ClientTool,
  type Committed,
  type EndCause,
  endRun,
  type Failure,
  type FoldOptions,
  type Message,
  type Pending,
  type RunState,
  type RunWriter,
  runWriter,
} from '@factwire/core'
import { type Brought, stepsIn, writerIdOf } from './begin.ts'
import { checkpointer, memoryCheckpoints, quietly, type StreamCheckpointStore } from './checkpoint.ts'
import type { Clock } from './clock.ts'
import { heardJournal } from './heard-journal.ts'
import { inbox, type Inbox } from './inbox.ts'
import { type Journal, memoryJournal, type Notes, notesOf } from './journal.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { loop } from './loop.ts'
import { type Model, provider } from './model.ts'
import { type Output, publisher } from './output.ts'
import { atMost } from './race.ts'
import { causeOf, follow, isAsked, stopOf } from './stop.ts'
import type { Tool } from './tool.ts'

export interface AgentOptions<Frame = unknown, Options = unknown> {
  readonly model: Model<Frame, Options>
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Tools that run here. */
  readonly tools?: readonly Tool[]
  readonly limits?: Partial<Limits>
  /** What facts say, such as whether they tell what was thought. */
  readonly fold?: FoldOptions
  /** Default: in memory. Then a crash loses decisions that were not carried out, and a tool may run a second time. */
  readonly journal?: Journal
  /** Default: in memory. */
  readonly checkpoints?: StreamCheckpointStore
  /**
   * What is committed of the failure that ends a run, and so told to clients. Its message may be in the words of a provider or of a port,
   * which say what is not for everybody. Default: as it is.
   */
  readonly told?: (failure: Failure) => Failure
}

export interface RunOptions extends Brought {
  readonly threadId: string
  readonly runId: string
  /**
   * The thread as it is stored. Its standing says what is to be done: without a state a run begins; one that awaits goes on with
   * what is brought; one that is running was left by a process that died.
   */
  readonly thread: Pick<Committed, 'messages' | 'standing' | 'pending'>
  readonly output: Output
  /** Tools that the client runs. A run that goes on needs the same. */
  readonly clientTools?: readonly ClientTool[]
  /** The run is to end, with the `EndCause` that is its reason, or as cancelled. */
  readonly signal?: AbortSignal
}

export interface AgentRun {
  /**
   * Settles when the segment is over, with how: it awaits, or has ended. Rejects with what the output threw: then nothing more was
   * written, and the run goes on from the store, another time.
   */
  readonly over: Promise<RunState>
  /**
   * Says something to a run that goes on; the model hears it before its next answer. Settles when it is kept. False when the run
   * takes nothing more: begin another.
   */
  push(messages: readonly Message[]): Promise<boolean>
}

export interface Agent {
  /** Messages that the thread has are not taken again, by their ids. */
  run(options: RunOptions): AgentRun
}

/** Makes an agent, which can have many runs at once. */
export function agent<Frame, Options>(options: AgentOptions<Frame, Options>): Agent {
  const { journal = memoryJournal(), checkpoints = memoryCheckpoints(), clock, tools = [], told = asItIs } = options
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const server = new Map(tools.map((tool) => [tool.name, tool]))
  if (server.size < tools.length) throw new TypeError('two tools have one name: a model could not tell them apart')
  const model = provider(options.model)

  async function drive(given: RunOptions, opened: (box: Inbox) => void): Promise<RunState> {
    const { threadId, runId, thread, output, clientTools = [], signal } = given
    const { state } = thread.standing
    const stop = new AbortController()
    const stopping = stopOf(stop.signal)
    const out = publisher(output, (error) => stop.abort(error))
    // The journal is read before it is known how the run is to end: whoever wants that is heard all the same.
    const ending = new AbortController()
    const releases = [follow(signal, ending), follow(stop.signal, ending)]
    const silence = new Error('the journal has not answered')
    const heard = heardJournal(journal, silence, stopOf(ending.signal), clock, limits.graceMs)
    const causeOfFailure = (error: unknown, reason: unknown): EndCause =>
      error === silence && isAsked(reason) ? causeOf(reason) : { type: 'error', failure: told(failureOf(error)) }
    const writer = (name: string): RunWriter =>
      runWriter({ runId: name, history: thread.messages, standing: thread.standing, ...options.fold })
    let notes: Notes
    try {
      notes = await notesOf(heard, runId)
      if (state?.type === 'running') await notes.add([{ type: 'resumed' }])
    } catch (error) {
      // Without its journal nothing can be done twice, nor once.
      const run = writer(runId)
      for (const each of releases) each()
      await out.publish(run.end(causeOfFailure(error, ending.signal.reason)))
      return run.standing().state ?? { type: 'running' }
    }
    const run = writer(writerIdOf(runId, notes.resumed))
    const box = inbox(notes)
    opened(box)
    const theirs = clientTools.filter(({ name }) => !server.has(name))
    const progress = checkpointer(checkpoints, runId)
    if (notes.stopped) stop.abort(notes.stopped)
    else stopping.hear(() => isAsked(stop.signal.reason) && notes.stop(causeOf(stop.signal.reason)))
    releases.push(follow(signal, stop))
    try {
      await loop(
        {
          model,
          fetch: options.fetch,
          runId,
          threadId,
          run,
          notes,
          inbox: box,
          tools: { server, client: new Set(theirs.map(({ name }) => name)) },
          offered: [...tools, ...theirs].map(offer),
          pending: waitedFor(thread, server),
          checkpoints,
          progress,
          clock,
          limits,
          stop: stopping,
          cause: () => causeOf(stop.signal.reason),
          told,
          stepsBefore: state ? stepsIn(thread.messages, runId, notes.resumed) : 0,
          publish: out.publish,
        },
        thread.standing,
        given,
      )
    } catch (error) {
      const { reason } = stop.signal as { readonly reason: unknown }
      stop.abort(error)
      if (out.lost) throw out.lost.error
      // A port of the host failed, or this package did: the thread is closed all the same.
      box.close()
      const cause = causeOfFailure(error, reason)
      const said = (await quietly(async () => box.waiting(run.messages()))) ?? []
      if (said.length > 0) {
        // What was said stands behind the results of what is open.
        await out.publish(run.commit())
        await out.publish(run.commit({ messages: [...endRun(run.standing(), cause).messages, ...said] }))
      }
      await out.publish(run.end(cause))
    } finally {
      box.close()
      for (const each of releases) each()
    }
    const now = run.standing().state ?? { type: 'running' }
    // Its end is told: what is left to do helps nobody who waits for it.
    if (now.type === 'ended')
      await atMost(clock, limits.graceMs, Promise.all([progress.clear(), quietly(() => notes.clear())]))
    return now
  }

  return {
    run(given) {
      if (given.thread.standing.state?.type === 'ended') {
        throw new TypeError(`${given.runId} has ended: begin another run, with a standing that has no state`)
      }
      let opened: (box: Inbox | undefined) => void = () => undefined
      const box = new Promise<Inbox | undefined>((resolve) => {
        opened = resolve
      })
      const over = drive(given, opened)
      over.then(
        () => opened(undefined),
        () => opened(undefined),
      )
      return { over, push: async (messages) => (await box)?.push(messages) ?? false }
    },
  }
}

/** Whom the open calls wait for. A run that awaits has asked somebody about each of them, also where nobody kept whom. */
function waitedFor(
  { standing, pending = [] }: RunOptions['thread'],
  server: ReadonlyMap<string, Tool>,
): ReadonlyMap<string, Pending> {
  const waits = new Map(pending.map((entry) => [entry.tool_use_id, entry]))
  if (standing.state?.type !== 'awaiting') return waits
  for (const { id, name } of standing.openCalls) {
    if (!waits.has(id)) waits.set(id, { tool_use_id: id, kind: server.has(name) ? 'approval' : 'client' })
  }
  return waits
}

/** The model is not told how a tool is run. */
const offer = ({ name, description, parameters }: ClientTool): ClientTool => ({
  name,
  ...(description === undefined ? {} : { description }),
  ...(parameters === undefined ? {} : { parameters }),
})

const failureOf = (error: unknown): Failure => ({
  code: 'runtime_failed',
  message: error instanceof Error ? error.message : String(error),
})

const asItIs = (failure: Failure): Failure => failure
