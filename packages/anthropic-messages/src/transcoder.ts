/**
 * Neutral events to one message of the Messages stream, whatever the run says: a block for each text, thought and call.
 *
 * This wire takes nothing back: what was sent must be the truth's beginning, or the stream fails. What the agent runs itself are calls
 * of a server, which no client runs.
 */
import {
  type Awaiting,
  type CallItem,
  type Delta,
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
  endsSegment,
  none,
  segment,
  tailOf,
  textOf,
  unhold,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { approvalCall } from './approval.ts'
import { beginsObject } from './begins-object.ts'
import { errorEvent } from './error-body.ts'
import { joining } from './joining.ts'
import { type Call, createSending } from './sending.ts'
import { stopReasonOf } from './stop.ts'
import { createUsageTotal } from './usage.ts'
import type { StopReason, WrittenEvent } from './wire.ts'

export interface AnthropicMessagesOptions {
  /** Names of the tools that the client brought: their calls are shown while they are written. */
  readonly clientTools?: readonly string[]
  /** Whether thoughts are sent. Default true. */
  readonly thinking?: boolean
  /** Name of a client tool that asks for approval. Without it a run that needs approval ends as `approval_unsupported`. */
  readonly approvalTool?: string
}

export function transcoder(
  run: RunContext,
  options: AnthropicMessagesOptions = {},
  join?: Joined,
): Transcoder<WrittenEvent> {
  const { thinking = true, approvalTool } = options
  const clientTools = new Set(options.clientTools)
  const thread = join?.committed.messages ?? run.history ?? []
  const joined = join && joining(join.committed, run.history)
  const preview = createPreview({
    takesBack: false,
    messageIds: thread.map(({ id }) => id),
    callIds: joined?.callIds ?? none,
  })
  const usage = createUsageTotal()
  for (const spent of join?.committed.inferences ?? none) usage.add(spent)
  const sending = createSending(run)
  /** What was sent is not what is committed. Told once the commit is complete: it may hold a failure of the run's own. */
  let diverged = false
  /** Facts have told what was thought, so that a thought without a fact is none. */
  let thoughtsTold = false
  const state = { started: join !== undefined, ended: false }

  // ── Live ──

  function delta(event: Delta): readonly WrittenEvent[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        return text === '' ? none : sending.say(preview.turn(), text)
      }
      case 'reasoning_delta': {
        // What is not shown is still of a message that is being written: what follows of the next waits for it.
        const thought = preview.reasoning(event)
        return !thinking || thought === '' ? none : sending.think(preview.turn(), thought)
      }
      case 'tool_call_delta': {
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

  const isClients = ({ name, disposition }: Pick<CallItem, 'name' | 'disposition'>): boolean =>
    disposition === undefined ? clientTools.has(name) : disposition === 'pending_client'

  /** Calls of the client's tools, one after the other in their order. The agent's own are sent whole, once they are committed. */
  function showCall(turn: Turn, call: CallItem, fragment: string): readonly WrittenEvent[] {
    if (call.announced) return fragment === '' ? none : sending.write(call, fragment)
    if (!isClients(call) || !beginsObject(call.shown)) return none
    const held = [...turn.calls.values()].find((other) => !other.announced && !other.cancelled && isClients(other))
    if (held !== call || !sending.hasRoom() || !preview.announce(turn, call)) return none
    return sending.begin(turn, call)
  }

  /** What was held of a turn that has come to the front. */
  function release(): readonly WrittenEvent[] {
    const turn = preview.release()
    if (!turn) return none
    const thought = unhold(turn.reasoning)
    const text = unhold(turn.text)
    return [
      ...(thinking && thought !== '' ? sending.think(turn, thought) : none),
      ...(text === '' ? none : sending.say(turn, text)),
      ...Array.from(turn.calls.values()).flatMap((call) => showCall(turn, call, unhold(call))),
    ]
  }

  // ── Committed ──

  /** Something is sent of a message, although another is committed first. */
  const displaced = (): boolean =>
    preview
      .live()
      .some(
        (turn) =>
          turn.text.shown.length > 0 ||
          hasSentCall(turn) ||
          (thoughtsTold && thinking && turn.reasoning.shown.length > 0),
      )

  function thought(fact: Extract<MessageFact, { type: 'assistant_thinking' }>): readonly WrittenEvent[] {
    const turn = preview.claim(fact)
    if (!thinking) return none
    const { text, signature, encrypted } = fact
    thoughtsTold ||= text !== undefined
    const tail = text === undefined ? '' : tailOf(turn.reasoning.shown, text)
    if (tail === undefined) return diverge()
    if (tail !== '') turn.reasoning.shown.push(tail)
    return [
      ...(tail === '' ? none : sending.think(turn, tail)),
      ...(signature === undefined ? none : sending.seal(turn, signature)),
      ...(encrypted === undefined ? none : sending.withhold(encrypted)),
    ]
  }

  function message(fact: Extract<MessageFact, { type: 'assistant_message' }>): readonly WrittenEvent[] {
    const turn = preview.claim(fact)
    const tail = tailOf(turn.text.shown, textOf(fact.content))
    if (tail === undefined || displaced()) return diverge()
    if (tail === '') return none
    turn.text.shown.push(tail)
    return sending.say(turn, tail)
  }

  function toolCall(fact: ToolCallFact): readonly WrittenEvent[] {
    const turn = preview.claim(fact)
    if (displaced() || (!turn.truth.message && turn.text.shown.length > 0)) return diverge()
    const { call, inOrder } = preview.settle(turn, fact)
    if (call.announced) {
      // Who was sent a call runs it, and nobody has asked for that; what was cut nobody can run.
      const isAnothers = fact.disposition !== 'pending_client' && !isBroken(fact)
      const tail = inOrder && !isAnothers ? argumentsTail(call.shown, argumentsOf(fact)) : undefined
      return tail === undefined ? diverge() : sending.complete(tail)
    }
    if (fact.disposition !== 'pending_client') return sending.run(turn, { ...fact, id: call.wireId })
    // A call that was not shown goes out when the run waits for it: if it never does, nobody is to run the call.
    return hasSentCall(turn) ? diverge() : none
  }

  /** The client has its own results. A call of an earlier answer is told again, because here nothing has been said of it. */
  function result({ id, content, is_error }: ToolResultFact): readonly WrittenEvent[] {
    const called = callOf(id)
    if (called && !preview.find(id)) preview.know({ id, name: called.name })
    const known = preview.result(id)
    const wireId = known?.wireId ?? id
    const disposition = known?.disposition
    if (!called || sending.offered.has(wireId) || isClients({ name: called.name, disposition })) return none
    return [
      ...(sending.told.has(wireId) ? none : sending.run(called, { ...called, id: wireId })),
      ...sending.result(wireId, content, is_error),
    ]
  }

  /** All facts of a message are given: what was sent of it has to be among them. */
  function finish(): void {
    const turn = preview.finish()
    if (turn && ((!turn.truth.message && turn.text.shown.length > 0) || hasSentCall(turn))) diverge()
  }

  function diverge(): readonly WrittenEvent[] {
    diverged = true
    return none
  }

  function irreconcilable(): readonly WrittenEvent[] {
    const code: StreamFailureCode = 'stream_reconciliation_failed'
    return fail({ code, message: 'what was shown is not what was committed' })
  }

  function fail(failure: Failure): readonly WrittenEvent[] {
    state.ended = true
    return [errorEvent(failure)]
  }

  function fact(event: Fact): readonly WrittenEvent[] {
    if (!preview.continues(event)) finish()
    if (diverged && event.type !== 'run_failed') return endsSegment({ tier: 'fact', event }) ? irreconcilable() : none
    return match(event)
      .returnType<readonly WrittenEvent[]>()
      .with({ type: 'run_started' }, () => none)
      .with({ type: 'assistant_thinking' }, thought)
      .with({ type: 'assistant_message' }, message)
      .with({ type: 'tool_call' }, toolCall)
      .with({ type: 'tool_result' }, (given) => [...result(given), ...release()])
      .with({ type: 'step_ended' }, ({ message_id }) => {
        if (preview.claimEmpty(message_id)) finish()
        return diverged ? none : release()
      })
      .with({ type: 'inference_completed' }, (inference) => {
        usage.add(inference)
        return none
      })
      .with({ type: 'state_snapshot' }, { type: 'activity_snapshot' }, { type: 'continuation' }, () => none)
      .with({ type: 'awaiting' }, awaiting)
      .with({ type: 'run_finished' }, finished)
      .with({ type: 'run_failed' }, ({ code, message: text }) => fail({ code, message: text }))
      .exhaustive()
  }

  // ── The end ──

  function stop(reason: StopReason): readonly WrittenEvent[] {
    state.ended = true
    return sending.stop(reason, usage.total())
  }

  /**
   * What somebody has ended is no answer, and calls that were sent, and that nobody is to run any more, are no success. Where the answer was too long, its clients know that the
   * last call may be cut.
   */
  function finished(end: RunFinished): readonly WrittenEvent[] {
    if (end.cause?.type === 'cancelled') return fail(CANCELLED)
    if (displaced() || (sending.offered.size > 0 && !end.exhausted)) return irreconcilable()
    const unfinished = preview.open().filter(({ wireId }) => sending.told.has(wireId))
    const results = unfinished.flatMap(({ wireId }) => sending.result(wireId, [ENDED_FIRST], true))
    return [...results, ...stop(stopReasonOf(end))]
  }

  function awaiting(end: Awaiting): readonly WrittenEvent[] {
    const pending = preview.waiting(end)
    const approvals = pending.filter(({ kind }) => kind === 'approval')
    if (approvals.length > 0 && approvalTool === undefined) return fail(APPROVAL_UNSUPPORTED)
    const clients = pending
      .filter(({ kind }) => kind === 'client')
      .map(({ tool_use_id: id }) => ({ id: preview.find(id)?.wireId ?? id, call: callOf(id) }))
    // Whoever is offered a call runs it.
    const waits = new Set(clients.map(({ id }) => id))
    if (displaced() || [...sending.offered].some((id) => !waits.has(id))) return irreconcilable()
    const unsent = clients.filter(({ id }) => !sending.offered.has(id))
    // Nobody can run a call without a name, or one whose arguments are none.
    if (unsent.some(({ call }) => !call || isBroken(call))) return fail(AWAITING_UNSUPPORTED)
    const asked = [
      ...unsent.flatMap(({ id, call }) => (call ? sending.offer(end, { ...call, id }) : none)),
      ...approvals.flatMap((entry) =>
        sending.offer(end, { ...approvalCall(entry, callOf(entry.tool_use_id)), name: approvalTool ?? '' }),
      ),
    ]
    return sending.offered.size > 0 ? [...asked, ...stop('tool_use')] : fail(AWAITING_UNSUPPORTED)
  }

  /** A call of this segment, or of the thread before it. */
  const callOf = (id: string): Call | undefined => preview.find(id)?.fact ?? callIn(thread, id)

  return segment(state, {
    preview,
    opening: join && open(join),
    start: () => [sending.start()],
    fact,
    settled() {
      finish()
      return diverged ? irreconcilable() : release()
    },
    delta,
    breakOff() {
      const code: StreamFailureCode = 'stream_failed'
      return fail({ code, message: 'the stream broke off' })
    },
  })

  /** A client that joins gets what the run has said since the last request, which may have been results of calls. */
  function open({ committed, open: deltas }: Joined): readonly WrittenEvent[] {
    const told = joined?.open({ preview, sending, thinking, isClients }) ?? none
    // One of the deltas may end the stream as failed: then the others come too late.
    const live = deltas.flatMap((event) => (state.ended ? none : delta(event)))
    const last = state.ended ? undefined : endOf(committed)
    return [sending.start(), ...told, ...live, ...(last ? fact(last) : none)]
  }
}

/** A call that is sent and has no fact yet. */
const hasSentCall = (turn: Turn): boolean => [...turn.calls.values()].some((call) => call.announced)

/** Its text is no JSON, so there is no value of it. */
const isBroken = ({ input, raw_input }: Call): boolean =>
  input === null && raw_input !== undefined && raw_input.trim() !== 'null'

const ENDED_FIRST = { type: 'text', text: 'No result: the run ended first.' } as const

const CANCELLED: Failure = { code: 'cancelled', message: 'the run was cancelled' }

const APPROVAL_UNSUPPORTED: Failure = {
  code: 'approval_unsupported',
  message: 'the run waits for an approval that this client cannot give',
}

const AWAITING_UNSUPPORTED: Failure = {
  code: 'awaiting_unsupported',
  message: 'the run waits for something that this client cannot give',
}
