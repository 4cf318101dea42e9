/**
 * Neutral events to the events of one Response: an item for each thought, each message and each call, numbered, in the order in which
 * they were begun.
 *
 * What was streamed is taken back nowhere: clients show deltas as they come. So what was sent must be the truth's beginning, or the
 * response fails. A call of the agent is an `mcp_call`, because clients run every `function_call` that they get whole.
 */
import {
  type Awaiting,
  type Delta,
  type Disposition,
  type Fact,
  type Failure,
  type Joined,
  type MessageFact,
  type RunContext,
  type RunFinished,
  type StreamFailureCode,
  type ToolCallFact,
  type ToolResultFact,
  type Transcoder,
  type Turn,
  argumentsOf,
  argumentsTail,
  callIn,
  createPreview,
  endOf,
  none,
  segment,
  sinceRequest,
  tailOf,
  textOf,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { askedFor } from './asked.ts'
import { createCounter } from './counter.ts'
import { cutAt } from './cut.ts'
import { begun } from './joined.ts'
import type { OpenAiResponsesOptions } from './options.ts'
import { outcomeOf } from './outcome.ts'
import { createUsageTotal, endingOf, responseId, responses, type Standing } from './response.ts'
import { type CallHead, type CallKind, createSending, labelOf, prefixed, type Sent } from './sending.ts'
import { createSpeech } from './speech.ts'
import { DONE, type Lifecycle, type WrittenEvent, type WrittenFrame } from './wire.ts'

export function transcoder(
  run: RunContext,
  options: OpenAiResponsesOptions = {},
  join?: Joined,
): Transcoder<WrittenFrame> {
  const { reasoning = true, encryptedReasoning = false, serverLabel = labelOf(run), echo = {} } = options
  /** Told again from the facts, it must be the same stream: what comes in another order is held until it is committed. */
  const { resumable = false } = options
  const clientTools = new Set(options.clientTools)
  const thread = join?.committed.messages ?? run.history ?? []
  const since = join ? sinceRequest(join.committed.messages, run.history) : none
  const later = new Set(since.map(({ id }) => id))
  const preview = createPreview({
    takesBack: false,
    messageIds: thread.flatMap(({ id }) => (later.has(id) ? [] : [id])),
  })
  const usage = createUsageTotal()
  for (const spent of join?.committed.inferences ?? none) usage.add(spent)
  const counter = createCounter(resumable)
  const responseOf = responses(run, options.responseId ?? responseId(run), echo)
  const sending = createSending(counter, serverLabel)
  let minted = 0
  const speech = createSpeech(preview, sending, {
    thoughts: reasoning,
    isShown: ({ name, disposition }) => !resumable && (clientTools.has(name) || isTellable(disposition)),
    // A run that goes on has a longer history, and mints other ones.
    mint: () => `msg_${run.runId}_${run.history?.length ?? 0}_${minted++}`,
  })
  /** What was sent is not what is committed. Told once the commit is complete: it may hold a failure of the run's own. */
  let diverged = false
  /** What the provider wants back of the message whose facts are coming, where its thought may have ended before. */
  let seal: string | undefined
  const state = { started: join !== undefined, ended: false }

  function lifecycle(type: Lifecycle, standing: Standing): WrittenEvent {
    return { type, sequence_number: counter.count(), response: responseOf(standing) }
  }

  // ── Live ──

  function delta(event: Delta): readonly WrittenFrame[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        return text === '' ? none : speech.say(preview.turn(), text)
      }
      case 'reasoning_delta': {
        // What is not shown is still of a message that is being written: what follows of the next waits for it.
        const text = preview.reasoning(event)
        if (!reasoning || text === '' || (resumable && speech.isTalking(preview.turn()))) return none
        return speech.think(preview.turn(), text)
      }
      case 'tool_call_delta': {
        const call = preview.call(event)
        return call ? speech.show(preview.turn(), call, preview.fragment()) : none
      }
      case 'tool_call_cancelled':
        return preview.cancel(event.id) ? irreconcilable() : none
      case 'stream_reset': {
        // A call that was sent cannot become the beginning of anything else.
        const [turn] = preview.live()
        if (turn && speech.hasShown(turn)) return irreconcilable()
        // What was shown stays under an id that is never committed.
        if (turn && (turn.text.shown.length > 0 || (reasoning && turn.reasoning.shown.length > 0))) counter.leap()
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

  // ── Committed ──

  /** A message whose text or call is sent, although another is committed first. */
  const displaced = (): boolean => preview.live().some((turn) => turn.text.shown.length > 0 || speech.hasShown(turn))

  function thought(fact: Extract<MessageFact, { type: 'assistant_thinking' }>): readonly WrittenEvent[] {
    const turn = preview.claim(fact)
    if (!reasoning) return none
    const tail = fact.text === undefined ? '' : tailOf(turn.reasoning.shown, fact.text)
    if (tail === undefined) return diverge()
    // In the order of facts nothing is told of a thought once the text has begun.
    const untold = speech.untold(turn, fact.text ?? '')
    const events = untold === '' ? [] : speech.think(turn, untold)
    if (tail !== '') turn.reasoning.shown.push(tail)
    const encrypted = encryptedReasoning ? fact.encrypted : undefined
    if (resumable) {
      seal = encrypted
      return [...events, ...speech.rest(turn)]
    }
    const ended = speech.rest(turn, encrypted)
    if (encrypted !== undefined && ended.length === 0) speech.seal(turn, encrypted, ended)
    return [...events, ...ended]
  }

  function message(fact: Extract<MessageFact, { type: 'assistant_message' }>): readonly WrittenEvent[] {
    const turn = preview.claim(fact)
    const text = textOf(fact.content)
    const tail = tailOf(turn.text.shown, text)
    if (tail === undefined || displaced()) return diverge()
    const events = tail === '' ? speech.rest(turn) : speech.say(turn, tail)
    if (tail !== '') turn.text.shown.push(tail)
    speech.endMessage(turn, text, events)
    sealThought(turn, events)
    return events
  }

  /** Where the text may have been shown before it was known what the thought has that is not words. */
  function sealThought(turn: Turn, into: WrittenEvent[]): void {
    if (seal !== undefined) speech.seal(turn, seal, into)
    seal = undefined
  }

  function toolCall(fact: ToolCallFact): readonly WrittenEvent[] {
    const turn = preview.claim(fact)
    if (displaced() || (!turn.truth.message && turn.text.shown.length > 0)) return diverge()
    const { call, inOrder } = preview.settle(turn, fact)
    const kind = KINDS[fact.disposition]
    const shown = call.announced ? speech.sentOf(call) : undefined
    const events: WrittenEvent[] = []
    if (shown) {
      const args = argumentsOf(fact)
      const tail = argumentsTail(call.shown, args)
      if (!inOrder || tail === undefined || shown.kind !== kind) return diverge()
      if (tail !== '') events.push(shown.piece(tail))
      sending.endArguments(shown, args, events)
      return events
    }
    // A call that was not shown goes out when the run waits for it: if it never does, nobody is to run the call.
    if (kind && speech.hasShown(turn, kind)) return diverge()
    sealThought(turn, events)
    if (kind === 'mcp_call') speech.whole(turn, call, fact, events)
    return events
  }

  function toolResult(fact: ToolResultFact): readonly WrittenEvent[] {
    const call = preview.result(fact.id)
    if (!call) return resumed(fact)
    const events: WrittenEvent[] = []
    // Somebody has said yes to it meanwhile, or no.
    const asked = call.disposition === 'pending_builtin' ? call.fact : undefined
    const sent = speech.take(call) ?? (asked && speech.whole(undefined, call, asked, events))
    if (sent) sending.endCall(sent, outcomeOf(fact), events)
    return [...events, ...speech.release()]
  }

  /** The result of a call that an earlier response told of: the client's own, or one that somebody was asked about. */
  function resumed(fact: ToolResultFact): readonly WrittenEvent[] {
    const made = callIn(thread, fact.id) ?? (fact.name === undefined ? undefined : { name: fact.name, input: {} })
    if (!made || clientTools.has(made.name)) return none
    const events: WrittenEvent[] = []
    const head: CallHead = { id: fact.id, name: made.name, approvalRequest: prefixed('mcpr_', fact.id) }
    sending.endCall(speech.tell('mcp_call', head, made, events), outcomeOf(fact), events)
    return events
  }

  /** All facts of a message are given: what was sent of it has to be among them. */
  function finish(): readonly WrittenEvent[] {
    const turn = preview.finish()
    if (!turn) return none
    const isUntrue = (!turn.truth.message && turn.text.shown.length > 0) || speech.hasShown(turn)
    if (diverged || isUntrue) return diverge()
    const events = speech.rest(turn)
    sealThought(turn, events)
    speech.keep(turn)
    return events
  }

  function diverge(): readonly never[] {
    diverged = true
    return none
  }

  function fact(event: Fact): readonly WrittenFrame[] {
    const before = preview.continues(event) ? none : finish()
    if (diverged && event.type !== 'run_failed') return endsRun(event) ? [...before, ...irreconcilable()] : before
    const frames = match(event)
      .returnType<readonly WrittenFrame[]>()
      .with({ type: 'run_started' }, () => none)
      .with({ type: 'assistant_thinking' }, thought)
      .with({ type: 'assistant_message' }, message)
      .with({ type: 'tool_call' }, toolCall)
      .with({ type: 'tool_result' }, toolResult)
      .with({ type: 'step_ended' }, ({ message_id }) => {
        const events = preview.claimEmpty(message_id) ? finish() : none
        return diverged ? events : [...events, ...speech.release()]
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
    const asked = askedFor(preview, speech, thread, fact)
    if (!asked) return fail(AWAITING_UNSUPPORTED)
    const handed = new Set(asked.map(({ shown }) => shown))
    if (displaced() || offered().some((sent) => !handed.has(sent))) return irreconcilable()
    const events: WrittenEvent[] = []
    for (const { kind, id, made, shown } of asked) {
      if (kind === 'approval') sending.question({ id, name: made.name, args: argumentsOf(made) }, events).kept = true
      else sending.handOver(shown ?? speech.tell('function_call', { id, name: made.name }, made, events), events)
    }
    return [...events, ...close('response.completed', { status: 'completed' })]
  }

  /** Calls that the client sees and is not to run yet. */
  const offered = (): readonly Sent[] => sending.sent.filter(({ kind, done }) => kind === 'function_call' && !done)

  /** Ends what is open, but for calls that nobody is to run: a client runs what is whole. The response holds what is committed. */
  function close(type: Lifecycle, standing: Standing): readonly WrittenFrame[] {
    state.ended = true
    const events = speech.abandon(UNANSWERED)
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
    for (const event of begun(committed, since, clientTools)) frames.push(...fact(event))
    frames.push(...finish(), ...speech.release())
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
      return diverged ? [...events, ...irreconcilable()] : [...events, ...speech.release()]
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

/** What a call is to the client; nothing, where somebody has to agree first. */
const KINDS: Readonly<Record<Disposition, CallKind | undefined>> = {
  executed: 'mcp_call',
  pending_client: 'function_call',
  pending_builtin: undefined,
}

const isTellable = (disposition: Disposition | undefined): boolean =>
  disposition !== undefined && KINDS[disposition] !== undefined

const endsRun = ({ type }: Fact): boolean => type === 'awaiting' || type === 'run_finished'

const UNANSWERED = 'No result: the run ended first.'

const AWAITING_UNSUPPORTED: Failure = {
  code: 'awaiting_unsupported',
  message: 'the run waits for something that this client cannot give',
}
