/**
 * Neutral events to AG-UI 1.0. Repair is a snapshot of the whole conversation, which needs the run's `history`; without it a stream
 * that cannot be brought to the truth ends as failed.
 */
import {
  type Awaiting,
  type Fact,
  type Joined,
  type Message,
  type MessageFact,
  type NamedCall,
  type RunContext,
  type RunFailed,
  type RunFinished,
  type StreamFailureCode,
  type ToolCallFact,
  type ToolResultFact,
  type Transcoder,
  type Turn,
  argumentsOf,
  argumentsTail,
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
import { activitySnapshot } from './activity.ts'
import { contentOf, textOfContent } from './content.ts'
import { resultMetadata, toolMessageId } from './history.ts'
import { createLive } from './live.ts'
import { endEvent } from './outcome.ts'
import { createConversation } from './snapshot.ts'
import { createStage } from './stage.ts'
import { unfinishedResults } from './unanswered.ts'
import { createUsageSum } from './usage.ts'
import { type AgUiEvent, frames } from './wire.ts'

export interface AgUiOptions {
  /** The oldest client to serve. `0.0.59` leaves out what only 1.0 reads: cancelled, pending calls, media in results. */
  readonly target?: '1.0' | '0.0.59'
  /**
   * The thoughts in `history` are the client's to see: a snapshot names them too. Without it a client that had them loses them
   * when a later thought is taken back. Default false.
   */
  readonly reasoning?: boolean
}

export function transcoder(
  run: RunContext,
  { target = '1.0', reasoning = false }: AgUiOptions = {},
  join?: Joined,
): Transcoder<AgUiEvent> {
  const joined = join && distinctCalls(join.committed)
  const thread = joined?.messages ?? run.history
  const preview = createPreview({
    takesBack: thread !== undefined,
    callIds: callIds(thread),
    messageIds: thread?.map(({ id }) => id) ?? [],
  })
  const patches = createPatchOrder(join?.committed)
  const stage = createStage(run, thread)
  const conversation = createConversation(thread ? { history: thread } : {}, preview, stage, {
    textResults: target !== '1.0',
    reasoning,
  })
  /** Ids of the calls that the client has been told a result of: it would keep a second one, too. */
  const told = new Set<string>()
  /** Results that came before their call was committed. */
  const early = new Map<string, ToolResultFact>()
  const live = createLive(preview, patches, stage, conversation, told)
  const usage = createUsageSum()
  for (const spent of join?.committed.inferences ?? none) usage.add(spent)
  /** Calls that the client has answered itself: it has their results already. */
  const answered = new Set(
    (run.history ?? []).flatMap((message) =>
      message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
    ),
  )
  let results = { messageId: '', count: 0 }
  /** Thoughts of messages that were taken back, and that the next snapshot has to name for that. */
  let withdrawnThoughts: readonly string[] = []
  /** What is shown is not what is committed, and cannot be taken back. Told once the commit is complete: it may hold a failure of its own. */
  let diverged = false
  const state = { started: join !== undefined, ended: false }

  // ── Committed ──

  function claim(fact: MessageFact): { readonly turn: Turn; readonly withdrawn: readonly AgUiEvent[] } {
    const turn = preview.claim(fact)
    if (!preview.displaced()) return { turn, withdrawn: none }
    // Another message stands before it at the client: that one goes, and is shown again after this.
    stage.shown(turn).broken = true
    withdrawnThoughts = [...withdrawnThoughts, ...live.thoughtsOf(preview.live())]
    const withdrawn = live.takeDown(preview.live(), 'another message is committed first')
    preview.withdraw()
    return { turn, withdrawn }
  }

  function thinking(fact: Extract<MessageFact, { type: 'assistant_thinking' }>): readonly AgUiEvent[] {
    const { turn, withdrawn } = claim(fact)
    const record = stage.shown(turn)
    const { text, encrypted } = fact
    const tail = text === undefined ? '' : tailOf(turn.reasoning.shown, text)
    const late = turn.reasoning.shown.length === 0 && (turn.text.shown.length > 0 || turn.calls.size > 0)
    const speaks = (tail !== undefined && tail !== '') || encrypted !== undefined
    // Where nothing can be moved, it is still better told late than not.
    if (tail === undefined || (speaks && late && conversation.known)) record.broken = true
    if (record.broken || tail === undefined) return withdrawn
    const events: AgUiEvent[] = tail === '' ? [] : [...stage.reasoning(turn, tail)]
    if (tail !== '') turn.reasoning.shown.push(tail)
    // Where text or a call has ended the thought before its fact came, it begins again under its id, to end with the signature.
    const unsealed = fact.signature !== undefined && record.thought && record.open !== 'reasoning'
    if (unsealed || (encrypted !== undefined && !record.thought)) events.push(...stage.reason(turn))
    events.push(...sealed(stage.close(turn, 'reasoning'), fact.signature))
    if (encrypted !== undefined) {
      const { thoughtId: entityId } = record
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
    turn.text.shown = text === '' ? [] : [text]
    if (record.broken || tail === undefined) return withdrawn
    return [...(tail === '' ? none : stage.text(turn, tail)), ...stage.close(turn, 'text')]
  }

  function toolCall(fact: ToolCallFact): readonly AgUiEvent[] {
    const { turn, withdrawn } = claim(fact)
    const record = stage.shown(turn)
    if (!turn.truth.message && turn.text.shown.length > 0) record.broken = true
    const previewed = turn.calls.get(fact.id)
    const { call, inOrder } = preview.settle(turn, fact)
    const tail = argumentsTail(call.shown, argumentsOf(fact))
    if (!inOrder || tail === undefined) record.broken = true
    if (record.broken || tail === undefined) return withdrawn
    // The settled call stands for the live one that the client knows.
    if (previewed && record.calls.delete(previewed)) record.calls.add(call)
    const begun = call.announced ? none : stage.callStart(turn, call)
    call.announced = true
    return [...begun, ...(tail === '' ? none : stage.callArgs(call, tail)), ...stage.callEnd(turn, call)]
  }

  /** All facts of a message are given. Where what was shown is not that, the conversation is given whole. */
  function finish(): readonly AgUiEvent[] {
    const turn = preview.finish()
    if (!turn) return none
    const record = stage.shown(turn)
    if (!turn.truth.message && turn.text.shown.length > 0) record.broken = true
    const announced = [...turn.calls.values()].filter((call) => call.announced)
    preview.forget(turn)
    if (announced.length > 0) record.broken = true
    if (!record.broken) {
      conversation.add(turn)
      return [...stage.settle(turn), ...earlyResults(turn)]
    }
    const dropped = announced.flatMap((call) => live.dropCall(turn, call, 'the call was not committed'))
    if (!conversation.known) {
      diverged = true
      return [...dropped, ...stage.settle(turn)]
    }
    // Twice: a client keeps the order that it has, so what must move goes first.
    const without = conversation.committed()
    const { thinking: thought } = turn.truth
    const unthought = thought?.text === '' && thought.encrypted === undefined ? live.thoughtsOf([turn]) : none
    if (!turn.truth.message) turn.text.shown = []
    conversation.add(turn)
    const gone = [...withdrawnThoughts, ...unthought]
    withdrawnThoughts = []
    return [...dropped, ...stage.settle(turn), without, conversation.whole(gone), ...earlyResults(turn)]
  }

  function irreconcilable(): readonly AgUiEvent[] {
    const code: StreamFailureCode = 'stream_reconciliation_failed'
    return end({ type: 'run_failed', code, message: 'what was shown is not what was committed' })
  }

  function fact(event: Fact): readonly AgUiEvent[] {
    const before = preview.continues(event) ? none : finish()
    if (diverged && event.type !== 'run_failed') {
      return endsSegment({ tier: 'fact', event }) ? [...before, ...irreconcilable()] : before
    }
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
      .with({ type: 'state_snapshot' }, (whole) => {
        patches.told(whole)
        return frames({ type: 'STATE_SNAPSHOT', snapshot: whole.snapshot })
      })
      .with({ type: 'activity_snapshot' }, (whole) => {
        patches.told(whole)
        return frames(activitySnapshot(whole))
      })
      .with({ type: 'continuation' }, ({ messages = none }) => {
        for (const { id } of messages) stage.take(id)
        conversation.say(messages)
        return none
      })
      .with({ type: 'awaiting' }, { type: 'run_finished' }, { type: 'run_failed' }, end)
      .exhaustive()
    return [...before, ...after]
  }

  function result(fact: ToolResultFact): readonly AgUiEvent[] {
    const call = preview.result(fact.id)
    const callId = call?.wireId ?? fact.id
    const stored = fact.message_id ?? `tool-${callId}`
    results = { messageId: stored, count: results.messageId === stored ? results.count + 1 : 0 }
    if (!call && (answered.has(fact.id) || told.has(fact.id))) return live.release()
    if (!call && live.shows(fact.id)) {
      early.set(fact.id, fact)
      return none
    }
    told.add(callId)
    const ids = { id: stage.take(toolMessageId(stored, results.count)), stored }
    conversation.addResult(ids, callId, fact)
    const content = target === '1.0' ? contentOf(fact.content) : textOfContent(contentOf(fact.content))
    return [
      {
        type: 'TOOL_CALL_RESULT',
        messageId: ids.id,
        toolCallId: callId,
        content,
        role: 'tool',
        ...resultMetadata(ids, fact),
      },
      ...live.release(),
    ]
  }

  function earlyResults({ truth }: Turn): readonly AgUiEvent[] {
    return truth.calls.flatMap(({ id }) => {
      const fact = early.get(id)
      return fact && early.delete(id) ? result(fact) : none
    })
  }

  function stepEnded(messageId: string): readonly AgUiEvent[] {
    const turn = preview.claimEmpty(messageId)
    const emptied = turn ? finish() : none
    return [...emptied, ...stage.leave(), ...live.release()]
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
    // Of what came after the break the client knows nothing.
    const open = preview.open().filter((call) => !diverged || call.announced)
    return [
      ...uncommitted,
      ...(fact.type === 'awaiting' ? none : unfinishedResults(open, fact, stage.take)),
      ...stage.leave(),
      last,
    ]
  }

  /** Previews that no fact came for. Where nothing can be taken back, the stream has shown what is not true. */
  function takeBack(fact: Awaiting | RunFinished | RunFailed): readonly AgUiEvent[] {
    const turns = preview.live()
    const thoughts = live.thoughtsOf(turns)
    const closed = live.takeDown(turns, 'the message was not committed')
    preview.abandon()
    if (conversation.known) return [...closed, conversation.whole(thoughts)]
    return fact.type === 'run_failed' ? closed : [...closed, ...irreconcilable()]
  }

  // ── The beginning ──

  function runStarted(): AgUiEvent {
    const { threadId, runId, parentRunId } = run
    return { type: 'RUN_STARTED', threadId, runId, ...(parentRunId === undefined ? {} : { parentRunId }) }
  }

  /** The thread and the open items, from nothing: first an empty snapshot, since a client keeps the order that it has. */
  function open({ committed, open: deltas }: Joined, calls: readonly NamedCall[]): readonly AgUiEvent[] {
    for (const call of calls) preview.know(call)
    const others = deltas.flatMap(live.delta).filter(isAside)
    const events: AgUiEvent[] = [runStarted(), { type: 'MESSAGES_SNAPSHOT', messages: [] }, conversation.whole()]
    if (committed.snapshot !== undefined) events.push({ type: 'STATE_SNAPSHOT', snapshot: committed.snapshot })
    // A client that comes back keeps its activities: these are how they look now, whatever they did once.
    for (const { message_id, activity_type, content } of committed.activities ?? []) {
      events.push(activitySnapshot({ message_id, activity_type, content }))
    }
    events.push(...stage.step(), ...preview.live().flatMap((turn) => stage.reopen(turn)), ...others)
    const last = endOf(committed)
    return last ? [...events, ...fact(last)] : events
  }

  /** The producer is gone in mid-message: its text stays as it was shown, its calls will not come. */
  function abandoned(): readonly AgUiEvent[] {
    const ends = live.takeDown(preview.live(), BROKEN_OFF)
    preview.abandon()
    return ends
  }

  return segment(state, {
    preview,
    opening: join && joined && open(join, joined.open),
    start: () => [runStarted()],
    fact,
    settled() {
      const before = finish()
      return [...before, ...(diverged ? irreconcilable() : live.release())]
    },
    delta: live.delta,
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
