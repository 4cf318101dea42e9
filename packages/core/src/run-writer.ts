/**
 * The producer's side of a run, for people with their own agent loop: fragments and results in, events in their order out.
 *
 * It minds what a loop forgets: ids, offsets, split surrogates, calls that nobody answers. Facts come from the fold. It stores
 * and sends nothing.
 */
import type { ContentBlock, ToolUseBlock } from './content.ts'
import { type Draft, draftMessage, type ThoughtSeal } from './draft.ts'
import { type AgentEvent, type Delta, deltaEvent, type Disposition, factEvent } from './event.ts'
import { endRun } from './end-run.ts'
import { fold, type FoldOptions } from './fold.ts'
import { type Fragments, fragments } from './fragments.ts'
import type { Json, JsonLimits, JsonPatch } from './json.ts'
import { none } from './protocol.ts'
import type { EndCause, Pending, RunState } from './run.ts'
import type { Commit, Message, Standing } from './thread.ts'
import { type WriterCall, writerCalls } from './writer-calls.ts'
import { type ToolOutcome, toolMessage } from './writer-results.ts'
import { writerDocuments } from './writer-documents.ts'
import { messageIds } from './writer-ids.ts'

export interface RunWriterOptions extends FoldOptions {
  readonly runId: string
  /** Where the thread stands. For a new run on an old thread: its open calls, without the state. */
  readonly standing?: Standing
  /** The thread's earlier messages. Their ids, and those of their calls, are not given again. */
  readonly history?: readonly Message[]
  /** The state as the clients have it. Default: an empty object. */
  readonly state?: Json
  /** Bounds of a call's arguments, as `parseJson` has them. */
  readonly limits?: JsonLimits
}

/** What every method gives. */
export interface Written {
  /** To be published, in this order. */
  readonly events: readonly AgentEvent[]
  /** What became true with it, if anything did. To be stored before the events are published. */
  readonly commit?: Commit
}

/** A commit in which everything may be left out. */
export type CommitInput = Partial<Commit>

/**
 * Writes one run. The first method of a segment also gives `run_started`; after the end every method gives nothing, because
 * what a cancelled model or tool still says is late, not wrong.
 *
 * Calls are named by the id that their provider gave them. Where it repeats, the newest message is meant, and in it results
 * answer in order. A result for a call that has one gives nothing; a call that was never made is a `TypeError`.
 */
export interface RunWriter {
  text(fragment: string): Written
  reasoning(fragment: string, seal?: ThoughtSeal): Written
  /**
   * Opens a call, or goes on with its arguments: the same id in the same message, under the same name or an empty one. Under
   * an empty name a call that is not being written is late, and gives nothing.
   * A pending `disposition` also stands in `pending` when the message is committed.
   */
  toolCall(id: string, name: string, argsFragment?: string, disposition?: Disposition): Written
  /** What a running tool prints. */
  toolOutput(id: string, fragment: string): Written
  /** Commits one tool message, and before it the message that made the call if it is still being written. */
  toolResult(id: string, content: string | readonly ContentBlock[], outcome?: ToolOutcome): Written
  /** Takes a call out of the message that is being written, or commits that a committed one was given up. */
  cancelCall(id: string, reason: string): Written
  /** Changes the state; the next commit tells it whole. A patch that does not apply is a `TypeError`. */
  state(patch: readonly JsonPatch[]): Written
  /** Commits what an activity looks like: it begins, or is another one now. */
  activity(id: string, type: string, content: Json): Written
  /** Changes an activity that has begun; the next commit tells it whole. */
  activityPatch(id: string, patch: readonly JsonPatch[]): Written
  /** Takes back the message that is being written. The next fragment opens a new attempt, under a new id. */
  reset(reason: string): Written
  /**
   * Commits the message that was written, or `messages` of your own. An assistant message among them takes the place of the
   * one that was written (give it `messageId()`), and ids of calls that repeat are made unique.
   */
  commit(input?: CommitInput): Written
  /**
   * Commits like `commit`, and ends the segment. Without `pending`, what the open calls were marked with. A run that would wait for
   * nobody is a `TypeError`, because nobody could make it go on; where somebody else can, say so with an empty list.
   */
  await(pending?: readonly Pending[]): Written
  /** The last commit: what was written so far, and an error result for each open call. The default is a natural end. */
  end(cause?: EndCause, result?: Json): Written
  /** Id of the message that is being written, or that the next fragment opens. */
  messageId(): string
  standing(): Standing
  /** The committed thread, history included. */
  messages(): readonly Message[]
}

const NOTHING: Written = { events: none }
const RUNNING: RunState = { type: 'running' }
const AWAITING: RunState = { type: 'awaiting' }
const NATURAL_END: EndCause = { type: 'natural_end' }

export function runWriter(options: RunWriterOptions): RunWriter {
  const { history = [], limits } = options
  let standing: Standing = options.standing ?? { openCalls: [] }
  if (isOver()) throw new TypeError('the standing is of a run that has ended: leave out its state to begin a new run')

  const thread: Message[] = [...history]
  const calls = writerCalls(standing.openCalls, history)
  const steps = messageIds(options.runId)
  const documents = writerDocuments(options.state)
  for (const message of history) steps.passed(message.id)
  for (const call of standing.openCalls) steps.passed(call.message_id)
  const outputs = new WeakMap<WriterCall, Fragments>()
  let draft: Draft | undefined

  function isOver(): boolean {
    return standing.state?.type === 'ended'
  }

  // ── Live ──

  function show(deltas: readonly Delta[]): Written {
    const started = standing.state?.type === 'running' ? NOTHING : begin()
    return { ...started, events: [...started.events, ...deltas.map(deltaEvent)] }
  }

  /** Before its first delta: what that changes is told by a later commit. */
  function begin(): Written {
    return publish({ messages: [], state: RUNNING, ...pendingPart() })
  }

  function write(fragment: (draft: Draft) => Delta | undefined): Written {
    if (isOver()) return NOTHING
    const deltas: Delta[] = []
    if (!draft) {
      draft = draftMessage(steps.next())
      deltas.push({ type: 'step_started', message_id: draft.id })
    }
    const delta = fragment(draft)
    if (delta) deltas.push(delta)
    return show(deltas)
  }

  /** Undefined when there is nothing to say about the call any more. */
  function callNamed(id: string): WriterCall | undefined {
    return isOver() ? undefined : calls.named(id, written())
  }

  function written(): readonly WriterCall[] {
    return draft?.calls() ?? []
  }

  // ── Commits ──

  /** The message that was written, if anything was. */
  function takeDraft(): readonly Message[] {
    const message = draft?.message(limits)
    if (!message) return []
    calls.commit(written())
    closeDraft()
    return [message]
  }

  function closeDraft(): void {
    if (draft) steps.passed(draft.id)
    draft = undefined
  }

  function admit(message: Message): readonly Message[] {
    if (message.role === 'assistant') {
      const admitted = calls.admitCalls(message, written())
      closeDraft()
      steps.passed(message.id)
      return [admitted]
    }
    if (message.role !== 'tool') return [message]
    const answersDraft = message.content.some(
      (block) => block.type === 'tool_result' && calls.meant(block.tool_use_id, written()),
    )
    return [...(answersDraft ? takeDraft() : []), calls.admitResults(message)]
  }

  function answer(call: WriterCall, content: string | readonly ContentBlock[], outcome: ToolOutcome): Written {
    const before = written().includes(call) ? takeDraft() : []
    calls.close(call)
    return settle([...before, toolMessage(call, content, outcome)], {})
  }

  /** Nobody is asked to run a call, or to agree to one, whose arguments cannot be read: it has its result instead. */
  function unusable(messages: readonly Message[]): readonly Message[] {
    const waiting = new Set(calls.pending().map(({ tool_use_id }) => tool_use_id))
    const content = [...thread, ...messages].flatMap((message) => message.content)
    const broken = new Set(content.flatMap((block) => (isBroken(block) && waiting.has(block.id) ? [block.id] : [])))
    return calls.open().flatMap((call) => {
      if (!broken.has(call.id)) return []
      calls.close(call)
      return [toolMessage(call, UNREADABLE, { is_error: true })]
    })
  }

  function settle(given: readonly Message[], { state = RUNNING, pending, ...rest }: CommitInput): Written {
    const waiting = pending && calls.admitPending(pending)
    const refused = state.type === 'awaiting' ? unusable(given) : []
    const gone = new Set(refused.map(({ id }) => id))
    const messages = [...given, ...refused]
    return publish({
      ...rest,
      ...documents.tell(rest),
      messages: state.type === 'ended' ? [...messages, ...unfinished(state.cause)] : messages,
      state,
      ...(waiting ? { pending: waiting.filter(({ tool_use_id }) => !gone.has(`tool-${tool_use_id}`)) } : pendingPart()),
    })
  }

  function pendingPart(): Pick<Commit, 'pending'> {
    const pending = calls.pending()
    return pending.length > 0 ? { pending } : {}
  }

  function publish(commit: Commit): Written {
    const { facts, after } = fold(commit, standing, options)
    standing = after
    thread.push(...commit.messages)
    // The next segment is another stream, and has not seen the step of a message in which nothing was written.
    if (commit.state.type !== 'running') {
      closeDraft()
      documents.nextSegment()
    }
    return { events: facts.map(factEvent), commit }
  }

  function wait(pending: readonly Pending[] | undefined): Written {
    if (!pending && !isOver() && !calls.waits(written())) {
      throw new TypeError('nobody is waited for: give `pending`, or mark a call with a pending disposition')
    }
    return commit({ state: AWAITING, ...(pending ? { pending } : {}) })
  }

  function unfinished(cause: EndCause): readonly Message[] {
    return endRun({ ...standing, openCalls: calls.open() }, cause).messages
  }

  function commit({ messages, ...rest }: CommitInput): Written {
    if (isOver()) return NOTHING
    const admitted = messages?.flatMap(admit) ?? []
    const goesOn = messages !== undefined && (rest.state ?? RUNNING).type === 'running'
    return settle(goesOn ? admitted : [...takeDraft(), ...admitted], rest)
  }

  return {
    text: (fragment) => write((message) => message.text(fragment)),
    reasoning: (fragment, seal) => write((message) => message.reasoning(fragment, seal)),
    toolCall(id, name, argsFragment = '', disposition) {
      if (name === '' && !draft?.newest(id)) return NOTHING
      return write((message) => {
        const newest = message.newest(id)
        if (newest && (name === '' || name === newest.name)) return message.args(newest, argsFragment)
        const call = calls.create(id, name, message.id, disposition)
        message.open(call, disposition)
        return message.args(call, argsFragment)
      })
    },
    toolOutput(id, fragment) {
      const call = callNamed(id)
      if (!call) return NOTHING
      const output = outputs.get(call) ?? fragments()
      outputs.set(call, output)
      const { text } = output.next(fragment)
      return show(text === '' ? [] : [{ type: 'tool_output_delta', id: call.id, name: call.name, delta: text }])
    },
    toolResult(id, content, outcome = {}) {
      const call = callNamed(id)
      return call ? answer(call, content, outcome) : NOTHING
    },
    cancelCall(id, reason) {
      const call = callNamed(id)
      if (!call) return NOTHING
      if (!draft || !written().includes(call)) return answer(call, `Cancelled: ${reason}`, { cancelled: true })
      draft.drop(call)
      return show([{ type: 'tool_call_cancelled', id: call.id, name: call.name, reason }])
    },
    state: (patch) => (isOver() ? NOTHING : show([documents.patchState(patch)])),
    activity(id, type, content) {
      if (isOver()) return NOTHING
      return settle([], { activities: [{ message_id: id, activity_type: type, content }] })
    },
    activityPatch: (id, patch) => (isOver() ? NOTHING : show([documents.patchActivity(id, patch)])),
    reset(reason) {
      if (!draft) return NOTHING
      draft = undefined
      steps.retry()
      return show([{ type: 'stream_reset', reason }])
    },
    commit: (input = {}) => commit(input),
    await: wait,
    end: (cause = NATURAL_END, result) =>
      commit({ state: { type: 'ended', cause }, ...(result === undefined ? {} : { result }) }),
    messageId: () => draft?.id ?? steps.next(),
    standing: () => standing,
    messages: () => [...thread],
  }
}

const UNREADABLE = 'No result: the arguments of the call are not valid JSON.'

const isBroken = (block: ContentBlock): block is ToolUseBlock =>
  block.type === 'tool_use' && block.input === null && block.raw_input !== undefined
