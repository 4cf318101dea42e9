/**
 * Neutral events to the events of one Response: an item for each thought, each message and each call, numbered, in the order in which
 * they were begun.
 *
 * What was streamed is taken back nowhere: clients show deltas as they come. So what was sent must be the truth's beginning, or the
 * response fails. A call of the agent is an `mcp_call`, because clients run every `function_call` that they get whole.
 */
import {
  type Awaiting,
  type CallItem,
  type Delta,
  type Disposition,
  type Fact,
  type Failure,
  type Joined,
  type MessageFact,
  type Pending,
  type RunContext,
  type RunFinished,
  type StreamFailureCode,
  type ToolCallFact,
  type ToolResultFact,
  type Transcoder,
  type Turn,
  argumentsTail,
  callIn,
  createPreview,
  endOf,
  fold,
  none,
  segment,
  tailOf,
  textOf,
  unhold,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { createCounter } from './counter.ts'
import { cutAt } from './cut.ts'
import { begun, sinceRequest } from './joined.ts'
import { argumentsOf, outcomeOf } from './outcome.ts'
import { createUsageTotal, endingOf, responseId, responses, type Standing } from './response.ts'
import { type CallHead, type CallKind, createSending, labelOf, prefixed, type Sent } from './sending.ts'
import { DONE, type Echo, type Lifecycle, type WrittenEvent, type WrittenFrame } from './wire.ts'

export interface OpenAiResponsesOptions {
  /** Names of the tools that the client brought: their calls are shown while they are written. */
  readonly clientTools?: readonly string[]
  /** Where reasoning is told: as a summary, which is what most clients show, or in words of its own. Default `summary`. */
  readonly reasoning?: false | 'summary' | 'text'
  /** Whether the client asked for `reasoning.encrypted_content`. Default false. */
  readonly encryptedReasoning?: boolean
  /** Whose tools the agent's are said to be. Default: the agent's id, else `agent`. */
  readonly serverLabel?: string
  /** Id of the response. A run that goes on after it had waited is another response. Default: from the run's id. */
  readonly responseId?: string
  /** Fields of the request that the response repeats: `echo` of what `request` gives. */
  readonly echo?: Echo
  /** Whether `[DONE]` closes the stream. Default false. */
  readonly done?: boolean
  /** Events are numbered by what they say: a stream that is told again, from the facts, has the same places. Default: one by one. */
  readonly resumable?: boolean
  /** Only what a client has not seen that has read up to that number of a stream which is `resumable`. The end is always told. */
  readonly startingAfter?: number
}

interface Told {
  message?: Sent
  /** The thought that goes on. */
  thought?: Sent
  /** How much of what was thought was told in earlier items. */
  thoughtUntil: number
  readonly sent: Sent[]
}

export function transcoder(
  run: RunContext,
  options: OpenAiResponsesOptions = {},
  join?: Joined,
): Transcoder<WrittenFrame> {
  const { reasoning = 'summary', encryptedReasoning = false, serverLabel = labelOf(run), echo = {} } = options
  const clientTools = new Set(options.clientTools)
  const thread = join?.committed.messages ?? run.history ?? []
  const since = join ? sinceRequest(join.committed, run.history) : none
  const later = new Set(since.map(({ id }) => id))
  const preview = createPreview({
    takesBack: false,
    messageIds: thread.flatMap(({ id }) => (later.has(id) ? [] : [id])),
  })
  const usage = createUsageTotal()
  const counter = createCounter(options.resumable === true)
  const responseOf = responses(run, options.responseId ?? responseId(run), echo)
  const sending = createSending(counter, { serverLabel, thoughts: reasoning === 'text' ? 'text' : 'summary' })
  const told = new Map<Turn, Told>()
  const calls = new Map<CallItem, Sent>()
  /** What was sent is not what is committed. Told once the commit is complete: it may hold a failure of the run's own. */
  let diverged = false
  let minted = 0
  const state = { started: join !== undefined, ended: false }

  function toldOf(turn: Turn): Told {
    let of = told.get(turn)
    if (!of) {
      of = { thoughtUntil: 0, sent: [] }
      told.set(turn, of)
    }
    return of
  }

  /** What a turn is called until anybody says its id. A run that goes on has a longer history, and mints other ones. */
  const idOf = (turn: Turn): string => (turn.id ??= `msg_${run.runId}_${run.history?.length ?? 0}_${minted++}`)

  function lifecycle(type: Lifecycle, standing: Standing): WrittenEvent {
    return { type, sequence_number: counter.count(), response: responseOf(standing) }
  }

  // ── Live ──

  function delta(event: Delta): readonly WrittenFrame[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        return text === '' ? none : say(preview.turn(), text)
      }
      case 'reasoning_delta': {
        if (!reasoning) return none
        const text = preview.reasoning(event)
        return text === '' ? none : think(preview.turn(), text)
      }
      case 'tool_call_delta': {
        if (!clientTools.has(event.name) && !isTellable(event.disposition)) return none
        const call = preview.call(event)
        return call ? showCall(preview.turn(), call, preview.fragment()) : none
      }
      case 'tool_call_cancelled':
        return preview.cancel(event.id) ? irreconcilable() : none
      case 'stream_reset': {
        // A call that was sent cannot become the beginning of anything else.
        const [turn] = preview.live()
        if (turn && hasSentCall(turn)) return irreconcilable()
        preview.repeat()
        return none
      }
      case 'step_started':
        preview.step(event)
        return none
      case 'tool_output_delta':
      case 'state_delta':
      case 'activity_delta':
        return none
      default:
        event satisfies never
        return none
    }
  }

  function say(turn: Turn, text: string): readonly WrittenEvent[] {
    const of = toldOf(turn)
    if (of.message && !of.message.done && !of.thought) return [of.message.piece(text)]
    const events = restThought(turn)
    if (!of.message || of.message.done) of.sent.push((of.message = sending.message(idOf(turn), events)))
    events.push(of.message.piece(text))
    return events
  }

  function think(turn: Turn, text: string): readonly WrittenEvent[] {
    const of = toldOf(turn)
    if (of.thought) return [of.thought.piece(text)]
    const events: WrittenEvent[] = []
    of.sent.push((of.thought = sending.thought(idOf(turn), events)))
    events.push(of.thought.piece(text))
    return events
  }

  /** Something else is said: the thought is over, as far as it goes, so that nobody is shown as thinking who is talking. */
  function restThought(turn: Turn, encrypted?: string): WrittenEvent[] {
    const of = toldOf(turn)
    if (!of.thought) return []
    const whole = turn.reasoning.shown.join('')
    const events: WrittenEvent[] = []
    sending.endThought(of.thought, whole.slice(of.thoughtUntil), encrypted, events)
    of.thoughtUntil = whole.length
    delete of.thought
    return events
  }

  function showCall(turn: Turn, call: CallItem, fragment: string): readonly WrittenEvent[] {
    if (!preview.announce(turn, call)) {
      const sent = calls.get(call)
      // Of a call whose id stands for another nothing is shown.
      return sent && call.announced && fragment !== '' ? [sent.piece(fragment)] : none
    }
    const events = restThought(turn)
    const sent = begin(call, call.disposition === 'executed' ? 'mcp_call' : 'function_call', call.name, events)
    toldOf(turn).sent.push(sent)
    if (fragment !== '') events.push(sent.piece(fragment))
    return events
  }

  function begin(call: CallItem, kind: CallKind, name: string, into: WrittenEvent[]): Sent {
    const sent = sending.call(kind, { id: call.wireId, name }, into)
    calls.set(call, sent)
    return sent
  }

  /** What was held of a turn that has come to the front. */
  function release(): readonly WrittenEvent[] {
    const turn = preview.release()
    if (!turn) return none
    const events: WrittenEvent[] = []
    const thought = unhold(turn.reasoning)
    if (reasoning && thought !== '') events.push(...think(turn, thought))
    const text = unhold(turn.text)
    if (text !== '') events.push(...say(turn, text))
    for (const call of Array.from(turn.calls.values())) events.push(...showCall(turn, call, unhold(call)))
    return events
  }

  // ── Committed ──

  /** A message whose text or call is sent, although another is committed first. */
  const displaced = (): boolean => preview.live().some((turn) => turn.text.shown.length > 0 || hasSentCall(turn))

  const hasSentKind = (turn: Turn, kind: CallKind): boolean =>
    [...turn.calls.values()].some((call) => call.announced && calls.get(call)?.kind === kind)

  function thought(fact: Extract<MessageFact, { type: 'assistant_thinking' }>): readonly WrittenEvent[] {
    const turn = preview.claim(fact)
    if (!reasoning) return none
    const tail = fact.text === undefined ? '' : tailOf(turn.reasoning.shown, fact.text)
    if (tail === undefined) return diverge()
    const events: WrittenEvent[] = []
    if (tail !== '') {
      events.push(...think(turn, tail))
      turn.reasoning.shown.push(tail)
    }
    const encrypted = encryptedReasoning ? fact.encrypted : undefined
    const of = toldOf(turn)
    if (of.thought) events.push(...restThought(turn, encrypted))
    else if (encrypted !== undefined) of.sent.push(sending.sealed(idOf(turn), encrypted, events))
    return events
  }

  function message(fact: Extract<MessageFact, { type: 'assistant_message' }>): readonly WrittenEvent[] {
    const turn = preview.claim(fact)
    const text = textOf(fact.content)
    const tail = tailOf(turn.text.shown, text)
    if (tail === undefined || displaced()) return diverge()
    const events = tail === '' ? restThought(turn) : [...say(turn, tail)]
    if (tail !== '') turn.text.shown.push(tail)
    const { message: sent } = toldOf(turn)
    if (sent && !sent.done) sending.endMessage(sent, text, true, events)
    return events
  }

  function toolCall(fact: ToolCallFact): readonly WrittenEvent[] {
    const turn = preview.claim(fact)
    if (displaced() || (!turn.truth.message && turn.text.shown.length > 0)) return diverge()
    const { call, inOrder } = preview.settle(turn, fact)
    const args = argumentsOf(fact)
    const kind = KINDS[fact.disposition]
    const shown = call.announced ? calls.get(call) : undefined
    if (shown) {
      const tail = argumentsTail(call.shown, args)
      if (!inOrder || tail === undefined || shown.kind !== kind) return diverge()
      const events: WrittenEvent[] = tail === '' ? [] : [shown.piece(tail)]
      sending.endArguments(shown, args, events)
      return events
    }
    // A call that was not shown goes out when the run waits for it: if it never does, nobody is to run the call.
    if (kind && hasSentKind(turn, kind)) return diverge()
    return kind === 'mcp_call' ? whole(turn, call, kind, fact) : none
  }

  /** A call with all its arguments. */
  function whole(turn: Turn | undefined, call: CallItem, kind: CallKind, made: Made): WrittenEvent[] {
    const events = turn ? restThought(turn) : []
    const sent = begin(call, kind, made.name, events)
    if (turn) toldOf(turn).sent.push(sent)
    sent.kept = true
    writeArguments(sent, made, events)
    return events
  }

  function writeArguments(sent: Sent, made: Made, into: WrittenEvent[]): void {
    const args = argumentsOf(made)
    if (args !== '') into.push(sent.piece(args))
    sending.endArguments(sent, args, into)
  }

  function toolResult(fact: ToolResultFact): readonly WrittenEvent[] {
    const call = preview.result(fact.id)
    if (!call) return resumed(fact)
    let sent = calls.get(call)
    const events: WrittenEvent[] = []
    // Somebody has said yes to it meanwhile, or no.
    if (!sent && call.fact?.disposition === 'pending_builtin') {
      events.push(...whole(undefined, call, 'mcp_call', call.fact))
      sent = calls.get(call)
    }
    if (sent) sending.endCall(sent, outcomeOf(fact), events)
    events.push(...release())
    return events
  }

  /** The result of a call that an earlier response told of: the client's own, or one that somebody was asked about. */
  function resumed(fact: ToolResultFact): readonly WrittenEvent[] {
    const made = callIn(thread, fact.id) ?? (fact.name === undefined ? undefined : { name: fact.name, input: {} })
    if (!made || clientTools.has(made.name)) return none
    const events: WrittenEvent[] = []
    const head: CallHead = { id: fact.id, name: made.name, approvalRequest: prefixed('mcpr_', fact.id) }
    const sent = sending.call('mcp_call', head, events)
    sent.kept = true
    writeArguments(sent, made, events)
    sending.endCall(sent, outcomeOf(fact), events)
    return events
  }

  /** All facts of a message are given: what was sent of it has to be among them. */
  function finish(): readonly WrittenEvent[] {
    const turn = preview.finish()
    if (!turn) return none
    if ((!turn.truth.message && turn.text.shown.length > 0) || hasSentCall(turn)) return diverge()
    const events = restThought(turn)
    for (const sent of toldOf(turn).sent) sent.kept = true
    return events
  }

  function diverge(): readonly never[] {
    diverged = true
    return none
  }

  function fact(event: Fact): readonly WrittenFrame[] {
    const before = preview.continues(event) ? none : finish()
    if (diverged && event.type !== 'run_failed') return endsRun(event) ? irreconcilable() : before
    const frames = match(event)
      .returnType<readonly WrittenFrame[]>()
      .with({ type: 'run_started' }, () => none)
      .with({ type: 'assistant_thinking' }, thought)
      .with({ type: 'assistant_message' }, message)
      .with({ type: 'tool_call' }, toolCall)
      .with({ type: 'tool_result' }, toolResult)
      .with({ type: 'step_ended' }, ({ message_id }) => {
        const events = preview.claimEmpty(message_id) ? finish() : none
        return diverged ? none : [...events, ...release()]
      })
      .with({ type: 'inference_completed' }, (inference) => {
        usage.add(inference)
        return none
      })
      // The wire has no event for them: one that clients do not know is an error to them.
      .with({ type: 'state_snapshot' }, { type: 'activity_snapshot' }, { type: 'continuation' }, () => none)
      .with({ type: 'awaiting' }, awaiting)
      .with({ type: 'run_finished' }, finished)
      .with({ type: 'run_failed' }, ({ code, message: text }) => fail({ code, message: text }))
      .exhaustive()
    return before.length === 0 ? frames : [...before, ...frames]
  }

  // ── The end ──

  function irreconcilable(): readonly WrittenFrame[] {
    const code: StreamFailureCode = 'stream_reconciliation_failed'
    return fail({ code, message: 'what was shown is not what was committed' })
  }

  function fail(failure: Failure): readonly WrittenFrame[] {
    return close('response.failed', { status: 'failed', failure })
  }

  function finished(fact: RunFinished): readonly WrittenFrame[] {
    const { type, ...standing } = endingOf(fact)
    // Calls that were sent, and that nobody is to run any more, are no success.
    if (displaced() || (type === 'response.completed' && offered().length > 0)) return irreconcilable()
    return close(type, standing)
  }

  function awaiting(fact: Awaiting): readonly WrittenFrame[] {
    const waiting = [...new Map(preview.waiting(fact).map((entry) => [entry.tool_use_id, entry])).values()]
    // Calls of the client may stand there already.
    const inOrder = waiting.toSorted((one, other) => Number(one.kind === 'approval') - Number(other.kind === 'approval'))
    const asked = inOrder.map(
      ({ tool_use_id: id, kind }): Asked => {
        const call = preview.find(id)
        const shown = call && calls.get(call)
        return {
          kind,
          wireId: call?.wireId ?? id,
          made: call?.fact ?? callIn(thread, id),
          shown: kind === 'client' && shown?.kind === 'function_call' ? shown : undefined,
        }
      },
    )
    // Nobody can run, or agree to, what nobody knows.
    if (asked.length === 0 || asked.some(({ made }) => !made)) return fail(AWAITING_UNSUPPORTED)
    const handed = new Set(asked.map(({ shown }) => shown))
    if (displaced() || offered().some((sent) => !handed.has(sent))) return irreconcilable()
    const events: WrittenEvent[] = []
    for (const { kind, wireId, made, shown } of asked) {
      if (!made) continue
      if (kind === 'approval') {
        sending.question({ id: wireId, name: made.name, args: argumentsOf(made) }, events).kept = true
        continue
      }
      const sent = shown ?? sending.call('function_call', { id: wireId, name: made.name }, events)
      if (!shown) writeArguments(sent, made, events)
      sent.kept = true
      sending.handOver(sent, events)
    }
    return [...events, ...close('response.completed', { status: 'completed' })]
  }

  /** Calls that the client sees and is not to run yet. */
  const offered = (): readonly Sent[] => sending.sent.filter(({ kind, done }) => kind === 'function_call' && !done)

  /** Ends what is open, but for calls that nobody is to run: a client runs what is whole. The response holds what is committed. */
  function close(type: Lifecycle, standing: Standing): readonly WrittenFrame[] {
    state.ended = true
    const events: WrittenEvent[] = []
    for (const [turn, { message: sent }] of told) {
      events.push(...restThought(turn))
      if (!sent || sent.done) continue
      sent.kept = false
      sending.endMessage(sent, turn.text.shown.join(''), false, events)
    }
    for (const [call, sent] of calls) {
      if (sent.done || sent.kind !== 'mcp_call') continue
      sent.kept &&= sent.told
      if (!sent.told) sending.endArguments(sent, call.shown.join(''), events)
      sending.endCall(sent, { output: null, error: UNANSWERED }, events)
    }
    const output = sending.sent.flatMap(({ item, kept, done }) => (kept && done ? [item] : []))
    events.push(lifecycle(type, { ...standing, output, usage: usage.total() }))
    return options.done ? [...events, DONE] : events
  }

  // ── The beginning ──

  const start = (): WrittenEvent[] => [
    lifecycle('response.created', { status: 'in_progress' }),
    lifecycle('response.in_progress', { status: 'in_progress' }),
  ]

  /** A client that joins gets what the run has said since the last request, as if it had only been committed. */
  function open(joined: Joined): readonly WrittenFrame[] {
    const { committed, open: deltas } = joined
    const frames: WrittenFrame[] = start()
    const { commit, before } = begun(committed, since, clientTools)
    for (const event of fold(commit, before, { reasoning: 'text' }).facts) frames.push(...fact(event))
    frames.push(...finish(), ...release())
    // One of the deltas may end the stream as failed: then the others come too late.
    for (const event of deltas) if (!state.ended) frames.push(...delta(event))
    const last = state.ended ? undefined : endOf(committed)
    return last ? [...frames, ...fact(last)] : frames
  }

  const inner = segment(state, {
    preview,
    opening: join && open(join),
    start,
    fact,
    settled() {
      const events = finish()
      return diverged ? [...events, ...irreconcilable()] : [...events, ...release()]
    },
    delta,
    breakOff() {
      const code: StreamFailureCode = 'stream_failed'
      return fail({ code, message: 'the stream broke off' })
    },
  })
  const counting: Transcoder<WrittenFrame> = {
    ...inner,
    next(event) {
      const piece = inner.next?.(event)
      if (piece !== undefined) counter.count(piece)
      return piece
    },
  }
  return options.startingAfter === undefined ? counting : cutAt(counting, options.startingAfter)
}

/** Somebody is waited for. */
interface Asked {
  readonly kind: Pending['kind']
  readonly wireId: string
  readonly made: Made | undefined
  /** The client sees it already. */
  readonly shown: Sent | undefined
}

type Made = Pick<ToolCallFact, 'name' | 'input' | 'raw_input'>

/** What a call is to the client; nothing, where somebody has to agree first. */
const KINDS: Readonly<Record<Disposition, CallKind | undefined>> = {
  executed: 'mcp_call',
  pending_client: 'function_call',
  pending_builtin: undefined,
}

const isTellable = (disposition: Disposition | undefined): boolean =>
  disposition !== undefined && KINDS[disposition] !== undefined

/** A call that is sent and has no fact yet. */
const hasSentCall = (turn: Turn): boolean => [...turn.calls.values()].some((call) => call.announced)

const endsRun = ({ type }: Fact): boolean => type === 'awaiting' || type === 'run_finished'

const UNANSWERED = 'No result: the run ended first.'

const AWAITING_UNSUPPORTED: Failure = {
  code: 'awaiting_unsupported',
  message: 'the run waits for something that this client cannot give',
}
