/**
 * Neutral events to chat completion chunks: one message, one finish.
 *
 * This wire takes nothing back and shows no agent at work: what was sent must be the truth's beginning, or the stream fails. Calls
 * that the agent runs itself are not sent, because every client would run them again.
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
  type Transcoder,
  type Turn,
  argumentsOf,
  argumentsTail,
  callIn,
  createPreview,
  dispositionsOf,
  endOf,
  endsSegment,
  none,
  segment,
  sinceRequest,
  tailOf,
  textOf,
  unhold,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { approvalCall } from './approval.ts'
import { errorFrame } from './error-body.ts'
import { finishReasonOf } from './finish-reason.ts'
import type { OpenAiChatOptions } from './options.ts'
import { BETWEEN, createSending } from './sending.ts'
import { createUsageTotal } from './usage-total.ts'
import { type ChatFinishReason, type WrittenFrame, DONE } from './wire.ts'

export function transcoder(run: RunContext, options: OpenAiChatOptions = {}, join?: Joined): Transcoder<WrittenFrame> {
  const { reasoning = false, includeUsage = false, approvalTool, extension } = options
  const clientTools = new Set(options.clientTools)
  const thread = join?.committed.messages ?? run.history ?? []
  const preview = createPreview({
    takesBack: false,
    messageIds: thread.map(({ id }) => id),
  })
  const usage = createUsageTotal()
  for (const spent of join?.committed.inferences ?? none) usage.add(spent)
  const sending = createSending(run, extension)
  const { chunk, say, think, begin, write, aside } = sending
  /** The call that is being sent: calls are sent one after the other. */
  let calling: CallItem | undefined
  /** What was sent is not what is committed. Told once the commit is complete: it may hold a failure of the run's own. */
  let diverged = false
  const state = { started: join !== undefined, ended: false }

  // ── Live ──

  function delta(event: Delta): readonly WrittenFrame[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        return text === '' ? none : [say(preview.turn(), text)]
      }
      case 'reasoning_delta': {
        const text = preview.reasoning(event)
        return !reasoning || text === '' ? none : [think(reasoning, preview.turn(), text)]
      }
      case 'tool_call_delta': {
        const call = preview.call(event)
        return call ? showCall(preview.turn(), call, preview.fragment()) : none
      }
      case 'tool_call_cancelled':
        return preview.cancel(event.id) ? irreconcilable() : none
      case 'stream_reset':
        // A call that was sent cannot become the beginning of anything else.
        if (preview.live()[0] && calling) return irreconcilable()
        preview.repeat()
        return none
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

  function showCall(turn: Turn, call: CallItem, fragment: string): readonly WrittenFrame[] {
    // What is not the client's is still of a message that is being written: what follows of the next waits for it.
    if (!clientTools.has(call.name) && call.disposition !== 'pending_client') return none
    if (calling && calling !== call) return none
    const begun = preview.announce(turn, call) ? [begin(call.wireId, call.name)] : none
    if (begun.length > 0) calling = call
    // Of a call whose id stands for another nothing is shown.
    if (!call.announced || fragment === '') return begun
    const args = write(call.wireId, fragment)
    return begun.length > 0 ? [...begun, args] : [args]
  }

  /** What was held of a turn that has come to the front. */
  function release(): readonly WrittenFrame[] {
    const turn = preview.release()
    if (!turn) return none
    const frames: WrittenFrame[] = []
    const thought = unhold(turn.reasoning)
    if (reasoning && thought !== '') frames.push(think(reasoning, turn, thought))
    const text = unhold(turn.text)
    if (text !== '') frames.push(say(turn, text))
    for (const call of Array.from(turn.calls.values())) frames.push(...showCall(turn, call, unhold(call)))
    return frames
  }

  // ── Committed ──

  /** A message whose text or call is sent, although another is committed first. */
  const displaced = (): boolean => preview.live().some((turn) => turn.text.shown.length > 0 || hasSentCall(turn))

  function thought(fact: Extract<MessageFact, { type: 'assistant_thinking' }>): readonly WrittenFrame[] {
    const turn = preview.claim(fact)
    if (!reasoning || fact.text === undefined) return none
    const tail = tailOf(turn.reasoning.shown, fact.text)
    if (tail === undefined) return diverge()
    if (tail === '') return none
    turn.reasoning.shown.push(tail)
    return [think(reasoning, turn, tail)]
  }

  function message(fact: Extract<MessageFact, { type: 'assistant_message' }>): readonly WrittenFrame[] {
    const turn = preview.claim(fact)
    const text = textOf(fact.content)
    const tail = tailOf(turn.text.shown, text)
    if (tail === undefined || displaced()) return diverge()
    if (tail === '') return none
    turn.text.shown.push(tail)
    return [say(turn, tail)]
  }

  function toolCall(fact: ToolCallFact): readonly WrittenFrame[] {
    const turn = preview.claim(fact)
    if (displaced() || (!turn.truth.message && turn.text.shown.length > 0)) return diverge()
    const { call, inOrder } = preview.settle(turn, fact)
    const args = argumentsOf(fact)
    if (call.announced) {
      const tail = argumentsTail(call.shown, args)
      if (!inOrder || tail === undefined || fact.disposition !== 'pending_client') return diverge()
      calling = undefined
      return tail === '' ? none : [write(call.wireId, tail)]
    }
    if (fact.disposition !== 'pending_client') return aside(fact)
    // A call that was not shown goes out when the run waits for it: if it never does, nobody is to run the call.
    return hasSentCall(turn) ? diverge() : none
  }

  /** All facts of a message are given: what was sent of it has to be among them. */
  function finish(): void {
    const turn = preview.finish()
    if (turn && ((!turn.truth.message && turn.text.shown.length > 0) || hasSentCall(turn))) diverge()
  }

  function diverge(): readonly WrittenFrame[] {
    diverged = true
    return none
  }

  function irreconcilable(): readonly WrittenFrame[] {
    const code: StreamFailureCode = 'stream_reconciliation_failed'
    return fail({ code, message: 'what was shown is not what was committed' })
  }

  function fail(failure: Failure): readonly WrittenFrame[] {
    state.ended = true
    return [errorFrame(failure)]
  }

  function fact(event: Fact): readonly WrittenFrame[] {
    if (!preview.continues(event)) finish()
    if (diverged && event.type !== 'run_failed') return endsSegment({ tier: 'fact', event }) ? irreconcilable() : none
    return match(event)
      .returnType<readonly WrittenFrame[]>()
      .with({ type: 'run_started' }, () => none)
      .with({ type: 'assistant_thinking' }, thought)
      .with({ type: 'assistant_message' }, message)
      .with({ type: 'tool_call' }, toolCall)
      .with({ type: 'tool_result' }, (result) => {
        preview.result(result.id)
        return [...aside(result), ...release()]
      })
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

  /** What somebody has ended is no answer, and calls that were sent, and that nobody is to run any more, are no success. */
  function finished(fact: RunFinished): readonly WrittenFrame[] {
    if (fact.cause?.type === 'cancelled') return fail(CANCELLED)
    return sending.begun.size > 0 ? irreconcilable() : closeWith(finishReasonOf(fact))
  }

  function closeWith(reason: ChatFinishReason): readonly WrittenFrame[] {
    if (displaced()) return irreconcilable()
    state.ended = true
    const total: WrittenFrame[] = includeUsage ? [{ ...sending.head, choices: [], usage: usage.total() }] : []
    return [chunk({}, reason), ...total, DONE]
  }

  function awaiting(fact: Awaiting): readonly WrittenFrame[] {
    const pending = preview.waiting(fact)
    const approvals = pending.filter(({ kind }) => kind === 'approval')
    if (approvals.length > 0 && approvalTool === undefined) return fail(APPROVAL_UNSUPPORTED)
    const clients = pending
      .filter(({ kind }) => kind === 'client')
      .map(({ tool_use_id: id }) => ({ id: preview.find(id)?.wireId ?? id, call: callOf(id) }))
    // Whoever is sent a call runs it.
    const waits = new Set(clients.map(({ id }) => id))
    if ([...sending.begun.keys()].some((id) => !waits.has(id))) return irreconcilable()
    const unsent = clients.filter(({ id }) => !sending.begun.has(id))
    // Nobody can run a call without a name.
    if (unsent.some(({ call }) => call === undefined)) return fail(AWAITING_UNSUPPORTED)
    const called = unsent.flatMap(({ id, call }) => (call ? [begin(id, call.name), write(id, argumentsOf(call))] : []))
    const asked = approvals.flatMap((entry) => {
      const call = approvalCall(entry, callOf(entry.tool_use_id) ?? { name: '', input: null })
      return [begin(call.id, approvalTool ?? ''), write(call.id, call.arguments)]
    })
    return sending.begun.size > 0 ? [...called, ...asked, ...closeWith('tool_calls')] : fail(AWAITING_UNSUPPORTED)
  }

  /** A call of this segment, or of the thread before it. */
  const callOf = (id: string): Pick<ToolCallFact, 'name' | 'input' | 'raw_input'> | undefined =>
    preview.find(id)?.fact ?? callIn(thread, id)

  // ── The beginning ──

  const role = (): WrittenFrame => chunk({ role: 'assistant', content: '' })

  /** A client that joins gets what the run has said since the last request, which may have been results of calls. */
  function open({ committed, open: deltas }: Joined): readonly WrittenFrame[] {
    const { messages, standing } = committed
    const dispositionOf = dispositionsOf(committed)
    for (const { id, name, message_id } of standing.openCalls) {
      preview.know({ id, name, disposition: dispositionOf(message_id, id) })
    }
    const since = sinceRequest(messages, run.history)
    const texts = since.flatMap(({ role: who, content }) => (who === 'assistant' ? [textOf(content)] : []))
    const said = texts.filter((text) => text !== '').join(BETWEEN)
    if (said !== '') sending.spoken()
    // One of the deltas may end the stream as failed: then the others come too late.
    const live = deltas.flatMap((event) => (state.ended ? none : delta(event)))
    const last = state.ended ? undefined : endOf(committed)
    return [role(), ...(said === '' ? [] : [chunk({ content: said })]), ...live, ...(last ? fact(last) : none)]
  }

  return segment(state, {
    preview,
    opening: join && open(join),
    start: () => [role()],
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
}

/** A call that is sent and has no fact yet. */
const hasSentCall = (turn: Turn): boolean => [...turn.calls.values()].some((call) => call.announced)

const CANCELLED: Failure = { code: 'cancelled', message: 'the run was cancelled' }

const APPROVAL_UNSUPPORTED: Failure = {
  code: 'approval_unsupported',
  message: 'the run waits for an approval that this client cannot give',
}

const AWAITING_UNSUPPORTED: Failure = {
  code: 'awaiting_unsupported',
  message: 'the run waits for something that this client cannot give',
}
