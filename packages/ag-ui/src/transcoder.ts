/**
 * Neutral events to AG-UI 1.0. Repair is a snapshot of the whole conversation, which needs the run's `history`; without it a stream
 * that cannot be brought to the truth ends as failed.
 */
import {
  type Awaiting,
  type CallItem,
  type Delta,
  type Fact,
  type Joined,
  type Json,
  type Message,
  type MessageFact,
  type RunContext,
  type RunFailed,
  type RunFinished,
  type StreamFailureCode,
  type ToolCallFact,
  type ToolResultFact,
  type Transcoder,
  type Turn,
  argumentsTail,
  createPreview,
  endOf,
  endsSegment,
  isJsonObject,
  none,
  segment,
  tailOf,
  textOf,
  unhold,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { contentOf } from './content.ts'
import { argumentsOf, reasoningId, resultMetadata, toolMessageId } from './history.ts'
import { endEvent } from './outcome.ts'
import { createConversation } from './snapshot.ts'
import { createStage } from './stage.ts'
import { createUsageSum } from './usage.ts'
import { type AgUiEvent, frames } from './wire.ts'

export interface AgUiOptions {
  /** The oldest client to serve. `0.0.59` leaves out what only 1.0 reads: cancelled, pending calls, media in results. */
  readonly target?: '1.0' | '0.0.59'
}

export function transcoder(
  run: RunContext,
  { target = '1.0' }: AgUiOptions = {},
  join?: Joined,
): Transcoder<AgUiEvent> {
  const thread = join?.committed.messages ?? run.history
  const preview = createPreview({
    joined: join !== undefined,
    takesBack: thread !== undefined,
    callIds: callIds(thread),
    messageIds: thread?.map(({ id }) => id) ?? [],
  })
  const stage = createStage(run, thread)
  const conversation = createConversation(thread ? { history: thread } : {}, preview, stage, {
    textResults: target !== '1.0',
  })
  const usage = createUsageSum()
  /** Calls that the client has answered itself: it has their results already. */
  const answered = new Set(
    (run.history ?? []).flatMap((message) =>
      message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
    ),
  )
  /** Calls whose printing is shown. */
  const printing = new Set<string>()
  let results = { messageId: '', count: 0 }
  /** What is shown is not what is committed, and cannot be taken back. Told once the commit is complete: it may hold a failure of its own. */
  let diverged = false
  const state = { started: join !== undefined, ended: false }

  // ── Live ──

  function delta(event: Delta): readonly AgUiEvent[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        return text === '' ? none : stage.text(preview.turn(), text)
      }
      case 'reasoning_delta': {
        const text = preview.reasoning(event)
        return text === '' ? none : stage.reasoning(preview.turn(), text)
      }
      case 'tool_call_delta': {
        const call = preview.call(event)
        return call ? showCall(preview.turn(), call, preview.fragment()) : none
      }
      case 'step_started': {
        const turn = preview.step(event)
        return turn ? stage.enter(turn) : none
      }
      case 'tool_output_delta':
        return printed(event.id, event.delta)
      case 'state_delta':
        return preview.inSequence('', event.revision) ? [{ type: 'STATE_DELTA', delta: event.delta }] : none
      case 'activity_delta': {
        const { message_id: messageId, activity_type: activityType, patch } = event
        if (!preview.inSequence(JSON.stringify([messageId, activityType]), event.revision)) return none
        return [{ type: 'ACTIVITY_DELTA', messageId, activityType, patch }]
      }
      case 'tool_call_cancelled':
        return cancel(event.id, event.reason)
      case 'stream_reset':
        return [...reset(), ...release()]
      default:
        event satisfies never
        return none
    }
  }

  function showCall(turn: Turn, call: CallItem, fragment: string): readonly AgUiEvent[] {
    const events = preview.announce(turn, call) ? [...stage.callStart(turn, call)] : []
    if (fragment !== '') events.push(...stage.callArgs(call, fragment))
    return events
  }

  /** What a tool prints is an activity: it is shown, and never part of the conversation. */
  function printed(id: string, text: string): readonly AgUiEvent[] {
    const call = preview.find(id)
    if (!call) return none
    const messageId = `${call.wireId}-output`
    const activityType = 'tool-output'
    if (printing.has(messageId)) {
      return [
        { type: 'ACTIVITY_DELTA', messageId, activityType, patch: [{ op: 'add', path: '/chunks/-', value: text }] },
      ]
    }
    printing.add(messageId)
    const content = { toolCallId: call.wireId, chunks: [text] }
    return [{ type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content }]
  }

  function cancel(id: string, reason: string): readonly AgUiEvent[] {
    const turn = preview.live().find((candidate) => candidate.calls.get(id)?.announced)
    const call = preview.cancel(id)
    if (!turn || !call) return none
    const events = dropCall(turn, call, reason)
    return conversation.known ? [...events, conversation.whole()] : events
  }

  /** A client counts a call without result as one that it has to run. */
  function dropCall(turn: Turn, call: CallItem, reason: string): AgUiEvent[] {
    const messageId = `tool-${call.wireId}-cancelled`
    return [
      ...stage.callEnd(turn, call),
      {
        type: 'TOOL_CALL_RESULT',
        messageId,
        toolCallId: call.wireId,
        content: reason,
        role: 'tool',
        metadata: { factwire: { is_error: true, cancelled: true } },
      },
    ]
  }

  function reset(): readonly AgUiEvent[] {
    if (!conversation.known) {
      preview.repeat()
      return none
    }
    const front = preview.live().slice(0, 1)
    const thoughts = thoughtsOf(front)
    const ends = takeDown(front, 'the attempt was given up')
    return preview.reset() ? [...ends, conversation.whole(thoughts)] : ends
  }

  /** The ids of the thoughts that are shown of turns. */
  function thoughtsOf(turns: readonly Turn[]): string[] {
    const thinking = turns.filter((turn) => turn.reasoning.shown !== '' && stage.knows(turn))
    return thinking.map((turn) => reasoningId(stage.shown(turn).id))
  }

  /** What was held of a turn that has come to the front. */
  function release(): readonly AgUiEvent[] {
    const turn = preview.release()
    if (!turn) return none
    const events: AgUiEvent[] = []
    const reasoning = unhold(turn.reasoning)
    if (reasoning !== '') events.push(...stage.reasoning(turn, reasoning))
    const text = unhold(turn.text)
    if (text !== '') events.push(...stage.text(turn, text))
    // A copy: announcing moves a call to the end.
    for (const call of Array.from(turn.calls.values())) {
      if (call.cancelled) continue
      const told = preview.announce(turn, call)
      if (told) events.push(...stage.callStart(turn, call))
      const args = call.announced ? unhold(call) : ''
      if (args !== '') events.push(...stage.callArgs(call, args))
    }
    return events
  }

  // ── Committed ──

  function claim(fact: MessageFact): { readonly turn: Turn; readonly withdrawn: readonly AgUiEvent[] } {
    const turn = preview.claim(fact)
    if (!preview.displaced()) return { turn, withdrawn: none }
    // Another message stands before it at the client: that one goes, and is shown again after this.
    stage.shown(turn).broken = true
    const withdrawn = takeDown(preview.live(), 'another message is committed first')
    preview.withdraw()
    return { turn, withdrawn }
  }

  /** Ends what is open of turns, their calls included. */
  function takeDown(turns: readonly Turn[], reason: string): readonly AgUiEvent[] {
    return turns.flatMap((turn): readonly AgUiEvent[] => {
      if (!stage.knows(turn)) return none
      const calls = [...turn.calls.values()].filter((call) => call.announced)
      return [...calls.flatMap((call) => dropCall(turn, call, reason)), ...stage.drop(turn)]
    })
  }

  function thinking(fact: Extract<MessageFact, { type: 'assistant_thinking' }>): readonly AgUiEvent[] {
    const { turn, withdrawn } = claim(fact)
    const record = stage.shown(turn)
    const { text, encrypted } = fact
    const tail = text === undefined ? '' : tailOf(turn.reasoning.shown, text)
    const late = turn.reasoning.shown === '' && (turn.text.shown !== '' || turn.calls.size > 0)
    const speaks = (tail !== undefined && tail !== '') || encrypted !== undefined
    if (tail === undefined || (speaks && late)) record.broken = true
    if (record.broken || tail === undefined) return withdrawn
    const events: AgUiEvent[] = tail === '' ? [] : [...stage.reasoning(turn, tail)]
    turn.reasoning.shown += tail
    if (encrypted !== undefined && turn.reasoning.shown === '') events.push(...stage.reason(turn))
    events.push(...sealed(stage.close(turn, 'reasoning'), fact.signature))
    if (encrypted !== undefined) {
      const entityId = reasoningId(record.id)
      events.push({ type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId, encryptedValue: encrypted })
    }
    return events
  }

  function message(fact: Extract<MessageFact, { type: 'assistant_message' }>): readonly AgUiEvent[] {
    const { turn, withdrawn } = claim(fact)
    const record = stage.shown(turn)
    const text = textOf(fact.content)
    const tail = tailOf(turn.text.shown, text)
    if (tail === undefined) record.broken = true
    turn.text.shown = text
    if (record.broken || tail === undefined) return withdrawn
    return [...(tail === '' ? none : stage.text(turn, tail)), ...stage.close(turn, 'text')]
  }

  function toolCall(fact: ToolCallFact): readonly AgUiEvent[] {
    const { turn, withdrawn } = claim(fact)
    const record = stage.shown(turn)
    if (!turn.truth.message && turn.text.shown !== '') record.broken = true
    const live = turn.calls.get(fact.id)
    const { call, inOrder } = preview.settle(turn, fact)
    const tail = argumentsTail(call.shown, argumentsOf(fact))
    if (!inOrder || tail === undefined) record.broken = true
    if (record.broken || tail === undefined) return withdrawn
    // The settled call stands for the live one that the client knows.
    if (live && record.calls.delete(live)) record.calls.add(call)
    const begun = call.announced ? none : stage.callStart(turn, call)
    return [...begun, ...(tail === '' ? none : stage.callArgs(call, tail)), ...stage.callEnd(turn, call)]
  }

  /** All facts of a message are given. Where what was shown is not that, the conversation is given whole. */
  function finish(): readonly AgUiEvent[] {
    const turn = preview.finish()
    if (!turn) return none
    const record = stage.shown(turn)
    if (!turn.truth.message && turn.text.shown !== '') record.broken = true
    const announced = [...turn.calls.values()].filter((call) => call.announced)
    preview.forget(turn)
    if (announced.length > 0) record.broken = true
    if (!record.broken) {
      conversation.add(turn)
      return stage.settle(turn)
    }
    if (!conversation.known) {
      diverged = true
      return none
    }
    // Twice: a client keeps the order that it has, so what must move goes first.
    const without = conversation.committed()
    if (!turn.truth.message) turn.text.shown = ''
    conversation.add(turn)
    const dropped = announced.flatMap((call) => dropCall(turn, call, 'the call was not committed'))
    return [...dropped, ...stage.settle(turn), without, conversation.whole()]
  }

  function irreconcilable(): readonly AgUiEvent[] {
    const code: StreamFailureCode = 'stream_reconciliation_failed'
    return end({ type: 'run_failed', code, message: 'what was shown is not what was committed' })
  }

  function fact(event: Fact): readonly AgUiEvent[] {
    const before = preview.continues(event) ? none : finish()
    if (diverged && event.type !== 'run_failed') return endsSegment({ tier: 'fact', event }) ? irreconcilable() : none
    const after = match(event)
      .returnType<readonly AgUiEvent[]>()
      .with({ type: 'run_started' }, () => none)
      .with({ type: 'assistant_thinking' }, thinking)
      .with({ type: 'assistant_message' }, message)
      .with({ type: 'tool_call' }, toolCall)
      .with({ type: 'tool_result' }, result)
      .with({ type: 'step_ended' }, ({ message_id }) => stepEnded(message_id))
      .with({ type: 'inference_completed' }, (inference) => {
        usage.add(inference)
        return none
      })
      .with({ type: 'state_snapshot' }, ({ snapshot }) => frames({ type: 'STATE_SNAPSHOT', snapshot }))
      .with({ type: 'activity_snapshot' }, ({ message_id, activity_type, content, replace }) =>
        frames({
          type: 'ACTIVITY_SNAPSHOT',
          messageId: message_id,
          activityType: activity_type,
          content: jsonObject(content),
          ...(replace === undefined ? {} : { replace }),
        }),
      )
      .with({ type: 'continuation' }, () => none)
      .with({ type: 'awaiting' }, { type: 'run_finished' }, { type: 'run_failed' }, end)
      .exhaustive()
    return [...before, ...after]
  }

  function result(fact: ToolResultFact): readonly AgUiEvent[] {
    const call = preview.result(fact.id)
    const callId = call?.wireId ?? fact.id
    const stored = fact.message_id ?? `tool-${callId}`
    results = { messageId: stored, count: results.messageId === stored ? results.count + 1 : 0 }
    const messageId = toolMessageId(stored, results.count)
    if (!call && answered.has(fact.id)) return release()
    conversation.addResult(messageId, callId, fact)
    const content = target === '1.0' ? contentOf(fact.content) : textOf(fact.content)
    return [
      { type: 'TOOL_CALL_RESULT', messageId, toolCallId: callId, content, role: 'tool', ...resultMetadata(fact) },
      ...release(),
    ]
  }

  function stepEnded(messageId: string): readonly AgUiEvent[] {
    const turn = preview.claimEmpty(messageId)
    const emptied = turn ? finish() : none
    return [...emptied, ...stage.leave(), ...release()]
  }

  // ── The end ──

  function end(fact: Awaiting | RunFinished | RunFailed): readonly AgUiEvent[] {
    if (state.ended) return none
    const uncommitted = preview.displaced() ? takeBack(fact) : none
    if (state.ended) return uncommitted
    state.ended = true
    const last = endEvent(fact, {
      run,
      target,
      pending: fact.type === 'awaiting' ? preview.waiting(fact) : [],
      usage: usage.part(),
      wireId: (id) => preview.find(id)?.wireId ?? id,
    })
    return [...uncommitted, ...(fact.type === 'awaiting' ? none : unfinished(fact)), ...stage.leave(), last]
  }

  /** Previews that no fact came for. Where nothing can be taken back, the stream has shown what is not true. */
  function takeBack(fact: Awaiting | RunFinished | RunFailed): readonly AgUiEvent[] {
    const turns = preview.live()
    const thoughts = thoughtsOf(turns)
    const closed = takeDown(turns, 'the message was not committed')
    preview.abandon()
    if (conversation.known) return [...closed, conversation.whole(thoughts)]
    return fact.type === 'run_failed' ? closed : [...closed, ...irreconcilable()]
  }

  /** Every call that was announced ends, also one that a careless producer left without result. */
  function unfinished(fact: RunFinished | RunFailed): readonly AgUiEvent[] {
    const cancelled = fact.type === 'run_finished' && fact.cause?.type === 'cancelled'
    const content = cancelled ? 'the run was cancelled first' : 'the run ended first'
    return preview.open().map((call) => ({
      type: 'TOOL_CALL_RESULT',
      messageId: `tool-${call.wireId}`,
      toolCallId: call.wireId,
      content,
      role: 'tool',
      metadata: { factwire: { is_error: true, ...(cancelled ? { cancelled } : {}) } },
    }))
  }

  // ── The beginning ──

  function runStarted(): AgUiEvent {
    const { threadId, runId, parentRunId } = run
    return { type: 'RUN_STARTED', threadId, runId, ...(parentRunId === undefined ? {} : { parentRunId }) }
  }

  /** The thread and the open items, from nothing: first an empty snapshot, since a client keeps the order that it has. */
  function open({ committed, open: deltas }: Joined): readonly AgUiEvent[] {
    for (const call of committed.standing.openCalls) preview.know(call.id, call.name)
    const others = deltas.flatMap(delta).filter(isAside)
    const events: AgUiEvent[] = [runStarted(), { type: 'MESSAGES_SNAPSHOT', messages: [] }, conversation.whole()]
    if (committed.snapshot !== undefined) events.push({ type: 'STATE_SNAPSHOT', snapshot: committed.snapshot })
    for (const { message_id: messageId, activity_type: activityType, content } of committed.activities ?? []) {
      events.push({ type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content: jsonObject(content) })
    }
    events.push(...stage.step(), ...preview.live().flatMap((turn) => stage.reopen(turn)), ...others)
    const last = endOf(committed)
    return last ? [...events, ...fact(last)] : events
  }

  /** The producer is gone in mid-message: its text stays as it was shown, its calls will not come. */
  function abandoned(): readonly AgUiEvent[] {
    const ends = takeDown(preview.live(), BROKEN_OFF)
    preview.abandon()
    return ends
  }

  return segment(state, {
    opening: join && open(join),
    start: () => [runStarted()],
    fact,
    settled() {
      const before = finish()
      return diverged ? irreconcilable() : [...before, ...release()]
    },
    delta,
    breakOff: () => [
      ...finish(),
      ...abandoned(),
      ...end({ type: 'run_failed', code: 'stream_failed', message: BROKEN_OFF }),
    ],
  })
}

const BROKEN_OFF = 'the stream broke off'

function* callIds(thread: readonly Message[] = []): Generator<string> {
  for (const { content } of thread) for (const block of content) if (block.type === 'tool_use') yield block.id
}

/** A thought's signature rides on its end. */
function sealed(ends: readonly AgUiEvent[], signature: string | undefined): readonly AgUiEvent[] {
  if (signature === undefined) return ends
  const metadata = { factwire: { signature } }
  return ends.map((event) => (event.type === 'REASONING_MESSAGE_END' ? { ...event, metadata } : event))
}

const isAside = ({ type }: AgUiEvent): boolean =>
  type === 'STATE_DELTA' || type === 'ACTIVITY_SNAPSHOT' || type === 'ACTIVITY_DELTA'

/** An activity's content is an object on this wire. */
function jsonObject(content: Json): { readonly [key: string]: Json } {
  return isJsonObject(content) ? content : { value: content }
}
