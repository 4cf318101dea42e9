/**
 * Neutral events to the UI message stream of the AI SDK: one message, a step for each model turn.
 *
 * A client of v7 takes back a step, and it is told again. One of v5 or v6 takes nothing back: what it was shown must be the truth's
 * beginning, or the stream fails.
 */
import {
  type Awaiting,
  type CallItem,
  type Disposition,
  type Fact,
  type Joined,
  type MessageFact,
  type Pending,
  type RunContext,
  type RunFailed,
  type RunFinished,
  type StreamFailureCode,
  type ToolCallFact,
  type ToolResultFact,
  type Transcoder,
  type Turn,
  callIn,
  createPatchOrder,
  createPreview,
  distinctCalls,
  endOf,
  endsSegment,
  none,
  segment,
  tailOf,
  textOf,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { activityAside } from './activity.ts'
import { approvalFrames, callFrames } from './calls.ts'
import { createEarlier } from './earlier.ts'
import { createHeld } from './held.ts'
import { createLive } from './live.ts'
import { createCosts, endFrames } from './ending.ts'
import type { MessageMetadata } from './metadata.ts'
import { outputFrames } from './output.ts'
import { createStage } from './stage.ts'
import { isShown } from './turn.ts'
import { storedFrames } from './stored.ts'
import { aside, frames, type StartChunk, type Target, type UiFrame } from './wire.ts'

export interface AiSdkOptions {
  /** The oldest major whose client has to understand the stream. Default `v6`. */
  readonly target?: Target
  /** Whether thoughts are shown. Default true. */
  readonly reasoning?: boolean
  /** The id of the UI message that goes on, as the client knows it: `continues` of its request. */
  readonly messageId?: string
}

export function transcoder(
  run: RunContext,
  { target = 'v6', reasoning = true, messageId }: AiSdkOptions = {},
  join?: Joined,
): Transcoder<UiFrame> {
  const takesBack = target === 'v7'
  const joined = join && distinctCalls(join.committed)
  const earlier = createEarlier(joined?.messages ?? run.history ?? [], {
    history: run.history,
    joined: join !== undefined,
  })
  const { answer } = earlier
  const opening = joined && storedFrames(answer.messages, { target, reasoning, open: joined.open })
  const preview = createPreview({ takesBack, callIds: earlier.callIds, messageIds: earlier.messageIds })
  const patches = createPatchOrder(join?.committed)
  const steps = answer.messages.filter((message) => isShown(message, reasoning)).length
  const held = createHeld(target, opening?.held)
  const stage = createStage(opening ?? { steps, open: false }, target, held.handOverAll)
  const costs = createCosts()
  for (const spent of join?.committed.inferences ?? none) costs.add(spent)
  /** Of live turns: what is shown is not, or not in that order, what is committed. */
  const broken = new Set<Turn>()
  /** Calls that the client was told whole. */
  const told = new Set<CallItem>()
  /** Results that came before their call was committed. */
  const early = new Map<string, ToolResultFact>()
  const live = createLive({ preview, patches, stage, earlier, takesBack, reasoning })
  const { giveUp, release } = live
  /** What is shown is not what is committed, and cannot be taken back. Told once the commit is complete: it may hold a failure of its own. */
  let diverged = false
  const state = { started: join !== undefined, ended: false }

  // ── Committed ──

  /** The turn of a message's fact. Where another is shown before it, that one goes, and is shown again after this. */
  function claim(fact: MessageFact): { readonly turn: Turn; readonly withdrawn: readonly UiFrame[] } {
    const turn = preview.claim(fact)
    if (!preview.displaced()) return { turn, withdrawn: none }
    if (!takesBack) {
      broken.add(turn)
      return { turn, withdrawn: none }
    }
    const withdrawn = preview.live().flatMap(stage.clear)
    preview.withdraw()
    return { turn, withdrawn }
  }

  function thinking(fact: Extract<MessageFact, { readonly type: 'assistant_thinking' }>): readonly UiFrame[] {
    const { turn, withdrawn } = claim(fact)
    if (!reasoning || fact.text === undefined) return withdrawn
    const tail = tailOf(turn.reasoning.shown, fact.text)
    // Where nothing can be moved, it is still better told late than not.
    const late = turn.reasoning.shown.length === 0 && fact.text !== '' && stage.shows(turn)
    if (tail === undefined || (late && canMove(turn))) broken.add(turn)
    turn.reasoning.shown = fact.text === '' ? [] : [fact.text]
    if (broken.has(turn) || tail === undefined || tail === '') return withdrawn
    return [...withdrawn, ...stage.reasoning(turn, tail)]
  }

  function message(fact: Extract<MessageFact, { readonly type: 'assistant_message' }>): readonly UiFrame[] {
    const { turn, withdrawn } = claim(fact)
    const text = textOf(fact.content)
    const tail = tailOf(turn.text.shown, text)
    // No fact says whether a call stands before the text: without one that was shown so, it does not.
    const late = turn.text.shown.length === 0 && text !== '' && stage.showsCalls(turn)
    if (tail === undefined || (late && canMove(turn))) broken.add(turn)
    turn.text.shown = text === '' ? [] : [text]
    if (broken.has(turn) || tail === undefined || tail === '') return withdrawn
    return [...withdrawn, ...stage.text(turn, tail)]
  }

  /** The step can be told again: what came of calls that were told cannot. */
  const canMove = ({ truth }: Turn): boolean => takesBack && !truth.calls.some((call) => told.has(call))

  /** Told with all the facts of its message: whoever runs it must not be told of it twice. */
  function toolCall(fact: ToolCallFact): readonly UiFrame[] {
    const { turn, withdrawn } = claim(fact)
    if (!turn.truth.message && turn.text.shown.length > 0) broken.add(turn)
    if (!preview.settle(turn, fact).inOrder) broken.add(turn)
    return withdrawn
  }

  /** All facts of a message are given. */
  function finish(): readonly UiFrame[] {
    const turn = preview.finish()
    if (!turn) return none
    const { calls, message: said } = turn.truth
    if (!said && turn.text.shown.length > 0) {
      broken.add(turn)
      turn.text.shown = []
    }
    const unmade = preview.forget(turn)
    if (takesBack && unmade.length > 0) broken.add(turn)
    const before: UiFrame[] = []
    let cleared = false
    // What came of calls that were told cannot be told again.
    const isOver = calls.some((call) => told.has(call))
    if (broken.delete(turn)) {
      if (!takesBack || isOver) {
        diverged = true
        return [...giveUp(unmade, NOT_MADE), ...stage.settle(turn)]
      }
      const thought = turn.reasoning.shown.join('')
      const text = turn.text.shown.join('')
      before.push(...stage.clear(turn))
      cleared = true
      if (thought !== '') before.push(...stage.reasoning(turn, thought))
      if (text !== '') before.push(...stage.text(turn, text))
    } else if (unmade.length > 0) before.push(...giveUp(unmade, NOT_MADE))
    const news = calls.filter((call) => !told.has(call))
    // First: what waits of the step before is handed over there, and none of these is.
    const entered = news.length > 0 ? stage.enter(turn) : none
    const made = news.flatMap((call): readonly UiFrame[] => {
      const isShown = call.announced && !cleared
      call.announced = true
      told.add(call)
      return held.show(call, isShown) ?? callFrames(call, target)
    })
    return [...before, ...entered, ...stage.settle(turn), ...made, ...earlyResults(turn)]
  }

  function earlyResults({ truth }: Turn): readonly UiFrame[] {
    return truth.calls.flatMap(({ id }) => {
      const fact = early.get(id)
      return fact && early.delete(id) ? result(fact) : none
    })
  }

  function irreconcilable(): readonly UiFrame[] {
    const code: StreamFailureCode = 'stream_reconciliation_failed'
    return end({ type: 'run_failed', code, message: 'what was shown is not what was committed' })
  }

  function fact(event: Fact): readonly UiFrame[] {
    const before = preview.continues(event) ? none : finish()
    if (diverged && event.type !== 'run_failed') {
      return endsSegment({ tier: 'fact', event }) ? [...before, ...irreconcilable()] : before
    }
    const own = match(event)
      .returnType<readonly UiFrame[]>()
      .with({ type: 'run_started' }, () => none)
      .with({ type: 'assistant_thinking' }, thinking)
      .with({ type: 'assistant_message' }, message)
      .with({ type: 'tool_call' }, toolCall)
      .with({ type: 'tool_result' }, (given) => [...result(given), ...release()])
      .with({ type: 'step_ended' }, ({ message_id }) => [
        ...(preview.claimEmpty(message_id) ? finish() : none),
        ...(diverged ? none : [...stage.rest(), ...release()]),
      ])
      .with({ type: 'inference_completed' }, (inference) => {
        costs.add(inference)
        return none
      })
      .with({ type: 'state_snapshot' }, (whole) => {
        patches.told(whole)
        return frames(aside('state', whole.snapshot))
      })
      .with({ type: 'activity_snapshot' }, (whole) => {
        patches.told(whole)
        return frames(activityAside(whole))
      })
      .with({ type: 'continuation' }, ({ steered, detail, messages }) =>
        frames(aside('continuation', { steered, detail, ...(messages ? { messages } : {}) })),
      )
      .with({ type: 'awaiting' }, { type: 'run_finished' }, { type: 'run_failed' }, end)
      .exhaustive()
    return before.length === 0 ? own : [...before, ...own]
  }

  function result(fact: ToolResultFact): readonly UiFrame[] {
    const call = preview.result(fact.id)
    if (call) {
      const wasAsked = call.disposition === 'pending_builtin'
      return [...held.giveUp(call.wireId), ...outputFrames(call.wireId, fact, target, wasAsked)]
    }
    if (preview.live().some((turn) => turn.calls.get(fact.id)?.announced)) {
      early.set(fact.id, fact)
      return none
    }
    const known = earlier.take(fact.id)
    if (known !== undefined) return outputFrames(known, fact, target, true)
    if (earlier.isAnswered(fact.id)) return none
    // The message that made it is not the one that this stream is of.
    const { id: toolCallId, content, is_error } = fact
    return frames(aside('tool-result', { toolCallId, text: textOf(content), is_error }))
  }

  // ── The end ──

  function end(event: Awaiting | RunFinished | RunFailed): readonly UiFrame[] {
    if (state.ended) return none
    if (preview.displaced() && !takesBack && event.type !== 'run_failed') return irreconcilable()
    state.ended = true
    // What is still shown without a fact is not true.
    const untrue = preview.displaced() ? takeDown() : none
    const pending = event.type === 'awaiting' ? preview.waiting(event) : []
    return [
      ...untrue,
      ...(event.type === 'awaiting' ? asked(pending) : unfinished()),
      ...held.giveUpAll(),
      ...stage.leave(),
      ...endFrames(
        event,
        target,
        costs,
        pending.map((entry) => ({ ...entry, tool_use_id: wireId(entry.tool_use_id) })),
      ),
    ]
  }

  const wireId = (id: string): string => preview.find(id)?.wireId ?? earlier.find(id) ?? id

  function takeDown(): readonly UiFrame[] {
    const turns = preview.live()
    const closed = turns.flatMap(takesBack ? stage.clear : stage.settle)
    const calls = preview.abandon()
    return takesBack ? closed : [...giveUp(calls, NOT_MADE), ...closed]
  }

  /**
   * What waits from before is asked for again: a client that was refused an answer would send it for ever. And who joined before anybody
   * said that a call waits was told that somebody runs it.
   */
  function asked(pending: readonly Pending[]): readonly UiFrame[] {
    return pending.flatMap(({ kind, tool_use_id }): readonly UiFrame[] => {
      const call = preview.find(tool_use_id)
      const id = call?.wireId ?? earlier.find(tool_use_id)
      if (id !== undefined && held.has(id)) return held.handOver(id)
      if (id === undefined || call?.fact || isAsked(call?.disposition)) return none
      if (kind === 'approval' && target !== 'v5') return approvalFrames(id, target)
      return call ? handedOver(id) : none
    })
  }

  function handedOver(toolCallId: string): readonly UiFrame[] {
    const call = callIn(answer.messages, toolCallId)
    if (!call) return none
    const { name: toolName, input } = call
    return [{ type: 'tool-input-available', toolCallId, toolName, input, providerExecuted: false }]
  }

  /** Every call that was told has a result, also one that a careless producer left open. */
  function unfinished(): readonly UiFrame[] {
    const given = { content: [{ type: 'text', text: 'the run ended first' } as const], is_error: true }
    const open = preview.open().filter((call) => !diverged || call.announced)
    const ids = [...open.map((call) => call.wireId), ...earlier.open()]
    return ids.flatMap((id) => [...held.giveUp(id), ...outputFrames(id, given, target, true)])
  }

  // ── The beginning ──

  function started(): readonly UiFrame[] {
    const { runId, threadId } = run
    // Without an id a client goes on with the message that it has, or makes an id where the server does not know the thread.
    const id = messageId ?? (join || (run.history && !answer.goesOn) ? answer.id : undefined)
    const start: StartChunk = {
      type: 'start',
      ...(id === undefined ? {} : { messageId: id }),
      ...(answer.goesOn ? { messageMetadata: GOES_ON } : {}),
    }
    return [start, aside('run', { run_id: runId, thread_id: threadId })]
  }

  /** Brings a client that joins from nothing to now: the whole message, because a client begins it anew. */
  function open({ committed, open: deltas }: Joined): readonly UiFrame[] {
    const own = new Set(answer.messages.map(({ id }) => id))
    // The others are of messages that this stream does not tell.
    for (const call of joined?.open ?? []) if (own.has(call.message_id)) preview.know(call)
    const documents: UiFrame[] = committed.snapshot === undefined ? [] : [aside('state', committed.snapshot)]
    documents.push(
      ...(committed.activities ?? []).map(({ message_id, activity_type, content }) =>
        activityAside({ message_id, activity_type, content }),
      ),
    )
    // One of the deltas may end the stream as failed: then the others come too late.
    const shown = deltas.flatMap((event) => (state.ended ? none : live.delta(event)))
    const last = state.ended ? undefined : endOf(committed)
    return [...started(), ...(opening?.frames ?? none), ...documents, ...shown, ...(last ? fact(last) : none)]
  }

  return segment(state, {
    preview,
    opening: join && open(join),
    start: () => [...started(), ...earlier.results(target)],
    fact,
    settled() {
      const before = finish()
      return [...before, ...(diverged ? irreconcilable() : release())]
    },
    delta: live.delta,
    breakOff() {
      const code: StreamFailureCode = 'stream_failed'
      const before = finish()
      const closed = preview.live().flatMap(stage.settle)
      const gone = giveUp(preview.abandon(), BROKEN_OFF)
      return [...before, ...gone, ...closed, ...end({ type: 'run_failed', code, message: BROKEN_OFF })]
    },
  })
}

const isAsked = (disposition: Disposition | undefined): boolean =>
  disposition !== undefined && disposition !== 'executed'

const BROKEN_OFF = 'the stream broke off'
const NOT_MADE = 'the call was not made'

/** What an earlier end of the same message said holds no more. */
const GOES_ON: MessageMetadata = { model: null, usage: null, factwire: { end: null } }
