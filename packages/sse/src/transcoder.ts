/**
 * Neutral events to flat ones. Each fact is its own frame or two, so that each can carry its own number.
 *
 * Repair is `stream_reset`: it withdraws what came since the last `step_start`, and the step's truth comes again.
 */
import {
  type Awaiting,
  type CallItem,
  type Delta,
  type DistinctCalls,
  type Fact,
  type Joined,
  type MessageFact,
  type RunContext,
  type RunFailed,
  type RunFinished,
  type ToolCallFact,
  type ToolResultFact,
  type Transcoder,
  type Turn,
  callIn,
  createPatchOrder,
  callsOf,
  createPreview,
  distinctCalls,
  endOf,
  none,
  segment,
  tailOf,
  textOf,
} from '@factwire/core'
import { match } from 'ts-pattern'
import {
  activitySnapshot,
  doneCall,
  inferenceComplete,
  runFinish,
  runStart,
  suspendedCall,
  unfinishedCalls,
} from './frame.ts'
import { history } from './history.ts'
import { lastText, resumedResult, runResult, termination } from './outcome.ts'
import { ANOTHER_FIRST, createStage } from './stage.ts'
import { type FlatEvent, frames } from './wire.ts'

export function transcoder(run: RunContext, _options?: undefined, join?: Joined): Transcoder<FlatEvent> {
  const thread = join?.committed.messages ?? run.history ?? []
  /** Who joins is told the thread by this stream, so its ids are taken. */
  const joined = join && distinctCalls(join.committed)
  const preview = createPreview({
    messageIds: thread.map(({ id }) => id),
    callIds: joined?.messages.flatMap(callsOf).map(({ id }) => id) ?? none,
  })
  const patches = createPatchOrder(join?.committed)
  const stage = createStage(preview, run)
  const state = { started: join !== undefined, ended: false }
  /** The last assistant text of the segment. */
  let response = join ? lastText(join.committed.messages, run.history) : ''
  /** What was told of calls that have their result: where their message is told again, they are told again with it. */
  const answers = new WeakMap<CallItem, FlatEvent>()

  // ── Live ──

  function delta(event: Delta): readonly FlatEvent[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        if (text === '') return none
        return stage.show(preview.turn(), [{ event_type: 'text_delta', delta: text }])
      }
      case 'reasoning_delta': {
        const text = preview.reasoning(event)
        if (text === '') return none
        return stage.show(preview.turn(), [{ event_type: 'reasoning_delta', delta: text }])
      }
      case 'tool_call_delta': {
        const call = preview.call(event)
        return call ? showCall(preview.turn(), call, preview.fragment()) : none
      }
      case 'step_started': {
        const turn = preview.step(event)
        return turn ? stage.open(turn) : none
      }
      case 'tool_output_delta': {
        const call = preview.find(event.id)
        return call
          ? [{ event_type: 'tool_call_stream_delta', id: call.wireId, name: event.name, delta: event.delta }]
          : none
      }
      case 'state_delta':
        return patches.inSequence(event) ? [{ event_type: 'state_delta', delta: event.delta }] : none
      case 'activity_delta': {
        const { message_id, activity_type, patch } = event
        if (!patches.inSequence(event)) return none
        return [{ event_type: 'activity_delta', message_id, activity_type, patch }]
      }
      case 'tool_call_cancelled': {
        const call = preview.cancel(event.id)
        return call
          ? [{ event_type: 'tool_call_cancel', id: call.wireId, name: call.name, reason: event.reason }]
          : none
      }
      case 'stream_reset':
        return both(preview.reset() ? [stage.reset(event.reason)] : none, stage.release())
      default:
        event satisfies never
        return none
    }
  }

  function showCall(turn: Turn, call: CallItem, fragment: string): readonly FlatEvent[] {
    const { wireId: id, name } = call
    const begun = preview.announce(turn, call)
    const args: FlatEvent = { event_type: 'tool_call_delta', id, args_delta: fragment }
    if (!begun) return fragment === '' ? none : stage.show(turn, [args])
    const start: FlatEvent = { event_type: 'tool_call_start', id, name }
    return stage.show(turn, fragment === '' ? [start] : [start, args])
  }

  // ── Committed ──

  /** The turn of a message's fact, and what takes back the previews that stand before it. */
  function claim(fact: MessageFact): { readonly turn: Turn; readonly withdrawn: readonly FlatEvent[] } {
    const turn = preview.claim(fact)
    return { turn, withdrawn: stage.withdraw(ANOTHER_FIRST) }
  }

  /**
   * Withdraws what is shown of a turn and gives its truth so far again. A fact that comes when another step has begun, which no
   * fold gives, finds nothing that could be withdrawn.
   */
  function repair(turn: Turn, reason: string): readonly FlatEvent[] {
    preview.forget(turn)
    if (!stage.withdraws(turn)) return none
    const { thinking, message, calls } = turn.truth
    const events: FlatEvent[] = []
    if (thinking?.encrypted)
      events.push({ event_type: 'reasoning_encrypted_value', encrypted_value: thinking.encrypted })
    if (thinking?.text) events.push({ event_type: 'reasoning_delta', delta: thinking.text })
    turn.reasoning.shown = thinking?.text ? [thinking.text] : []
    const text = message ? textOf(message.content) : ''
    turn.text.shown = text === '' ? [] : [text]
    if (text !== '') events.push({ event_type: 'text_delta', delta: text })
    for (const call of calls) {
      if (!call.fact) continue
      events.push(...ready(call, call.fact, false))
      const answer = answers.get(call)
      if (answer) events.push(answer)
    }
    const withdrawn = stage.reset(reason)
    return events.length > 0 ? [withdrawn, ...stage.show(turn, events)] : [withdrawn]
  }

  function ready(call: CallItem, fact: ToolCallFact, announced: boolean): FlatEvent[] {
    const { wireId: id } = call
    const event: FlatEvent = { event_type: 'tool_call_ready', id, name: fact.name, arguments: fact.input }
    return announced ? [event] : [{ event_type: 'tool_call_start', id, name: fact.name }, event]
  }

  function toolCall(fact: ToolCallFact): readonly FlatEvent[] {
    const { turn, withdrawn } = claim(fact)
    const untrue = turn.truth.calls.length === 0 && !turn.truth.message && turn.text.shown.length > 0
    const { call, inOrder } = preview.settle(turn, fact)
    if (untrue) return [...withdrawn, ...repair(turn, 'the message has no text')]
    if (!inOrder) return [...withdrawn, ...repair(turn, 'the calls stand in another order')]
    return [...withdrawn, ...stage.show(turn, ready(call, fact, call.announced))]
  }

  /** All facts of a message are given: what was shown of it and is not in them goes. */
  function finish(): readonly FlatEvent[] {
    const turn = preview.finish()
    if (!turn) return none
    if (!turn.truth.message && turn.text.shown.length > 0) return repair(turn, 'the message has no text')
    return cancelled(preview.forget(turn), 'the call was not committed')
  }

  function fact(event: Fact): readonly FlatEvent[] {
    const before = preview.continues(event) ? none : finish()
    return both(
      before,
      match(event)
        .returnType<readonly FlatEvent[]>()
        .with({ type: 'run_started' }, () => none)
        .with({ type: 'assistant_thinking' }, (thinking) => {
          const { turn, withdrawn } = claim(thinking)
          const { text, encrypted } = thinking
          const tail = text === undefined ? '' : tailOf(turn.reasoning.shown, text)
          if (tail === undefined) return [...withdrawn, ...repair(turn, 'the reasoning differs')]
          const shown: FlatEvent[] = []
          // Text last: whoever sees this group again must not double it.
          if (encrypted) shown.push({ event_type: 'reasoning_encrypted_value', encrypted_value: encrypted })
          if (tail !== '') {
            shown.push({ event_type: 'reasoning_delta', delta: tail })
            turn.reasoning.shown.push(tail)
          }
          return shown.length > 0 ? [...withdrawn, ...stage.show(turn, shown)] : withdrawn
        })
        .with({ type: 'assistant_message' }, (message) => {
          const { turn, withdrawn } = claim(message)
          response = textOf(message.content)
          const tail = tailOf(turn.text.shown, response)
          if (tail === undefined) return [...withdrawn, ...repair(turn, 'the text differs')]
          if (tail === '') return withdrawn
          turn.text.shown.push(tail)
          return [...withdrawn, ...stage.show(turn, [{ event_type: 'text_delta', delta: tail }])]
        })
        .with({ type: 'tool_call' }, toolCall)
        .with({ type: 'tool_result' }, result)
        .with({ type: 'step_ended' }, ({ message_id }) => [
          ...emptyMessage(message_id),
          ...stage.end(message_id),
          ...stage.release(),
        ])
        .with({ type: 'inference_completed' }, (inference) => frames(inferenceComplete(inference)))
        .with({ type: 'state_snapshot' }, (whole) => {
          patches.told(whole)
          return frames({ event_type: 'state_snapshot', snapshot: whole.snapshot })
        })
        .with({ type: 'activity_snapshot' }, (whole) => {
          patches.told(whole)
          return frames(activitySnapshot(whole))
        })
        .with({ type: 'continuation' }, () => none)
        .with({ type: 'awaiting' }, { type: 'run_finished' }, { type: 'run_failed' }, end)
        .exhaustive(),
    )
  }

  function result(fact: ToolResultFact): readonly FlatEvent[] {
    const call = preview.result(fact.id)
    if (!call) {
      // A reader gives it to the newest call of that id, which must not be a preview.
      const taken = preview.live().some(({ calls }) => calls.get(fact.id)?.announced)
      return [
        ...(taken ? stage.withdraw('an earlier call has that id') : none),
        { event_type: 'tool_call_resumed', target_id: fact.id, result: resumedResult(fact) },
      ]
    }
    const answer = doneCall(call, fact)
    answers.set(call, answer)
    return [answer, ...stage.release()]
  }

  /** A message that was shown, and was committed without text and calls. */
  function emptyMessage(messageId: string): readonly FlatEvent[] {
    return preview.claimEmpty(messageId) ? finish() : none
  }

  // ── The end ──

  function end(fact: Awaiting | RunFinished | RunFailed): readonly FlatEvent[] {
    state.ended = true
    // Previews that no fact came for: the truth is that there is nothing.
    const events: FlatEvent[] = [...stage.withdraw('the message was not committed')]
    if (fact.type === 'awaiting') events.push(...suspended(fact))
    else events.push(...unfinishedCalls(preview.open(), fact))
    events.push(...stage.close())
    const result = fact.type === 'awaiting' ? undefined : runResult(fact, response)
    events.push(runFinish(run, result, termination(fact)))
    return events
  }

  /** The producer is gone in mid-message: its text stays as it was shown, its calls will not come. */
  function abandoned(): readonly FlatEvent[] {
    return cancelled(preview.abandon(), BROKEN_OFF)
  }

  function suspended(fact: Awaiting): FlatEvent[] {
    return preview.waiting(fact).map((entry) => {
      const call = preview.find(entry.tool_use_id)
      const made = call?.fact ?? callIn(thread, entry.tool_use_id) ?? { name: '', input: null }
      return suspendedCall(call?.wireId ?? entry.tool_use_id, entry, made)
    })
  }

  // ── The beginning ──

  /** Brings a client that has nothing to the committed thread and the open step. */
  function open({ committed, open: deltas }: Joined, told: DistinctCalls): readonly FlatEvent[] {
    for (const call of told.open) preview.know(call)
    const events: FlatEvent[] = [runStart(run), { event_type: 'messages_snapshot', messages: history(told) }]
    for (const inference of committed.inferences ?? none) events.push(inferenceComplete(inference))
    if (committed.snapshot !== undefined) events.push({ event_type: 'state_snapshot', snapshot: committed.snapshot })
    events.push(...(committed.activities ?? []).map(activitySnapshot))
    events.push(...deltas.flatMap(delta))
    const last = endOf(committed)
    return last ? [...events, ...fact(last)] : events
  }

  return segment(state, {
    preview,
    opening: join && joined && open(join, joined),
    start: () => [runStart(run)],
    fact,
    settled: () => both(finish(), stage.release()),
    delta,
    breakOff: () => [
      ...finish(),
      ...abandoned(),
      ...end({ type: 'run_failed', code: 'stream_failed', message: BROKEN_OFF }),
    ],
  })
}

const BROKEN_OFF = 'the stream broke off'

const cancelled = (calls: readonly CallItem[], reason: string): FlatEvent[] =>
  calls.map(({ wireId, name }) => ({ event_type: 'tool_call_cancel', id: wireId, name, reason }))

function both(first: readonly FlatEvent[], second: readonly FlatEvent[]): readonly FlatEvent[] {
  if (first.length === 0) return second
  return second.length === 0 ? first : [...first, ...second]
}
