/**
 * AG-UI events in, deltas as they arrive and commits when something is complete out.
 *
 * An assistant message is its text and the calls that name it as parent. It is complete when a result of one of its calls comes,
 * when another message or the end does, or with its step; what comes for its id later is another message.
 */
import {
  type Commit,
  type Decoder,
  type Delta,
  type EndCause,
  endRun,
  type Failure,
  isCommit,
  type Message,
  none,
  type RunContext,
  type RunState,
  callsOf,
} from '@factwire/core'
import { createChunks } from './chunks.ts'
import { clientCalls, type Ending, endingOf, inferencesOf } from './ending.ts'
import { createHolding } from './holding.ts'
import type { Items } from './draft.ts'
import { RUNNING } from './committed.ts'
import { createLineup } from './lineup.ts'
import { type Earlier, reconcile, takeResult } from './reconcile.ts'
import { speak } from './speech.ts'
import { createValues } from './values.ts'
import type { AgUiEvent, MessagesSnapshotEvent, RunErrorEvent, RunFinishedEvent, RunStartedEvent } from './wire.ts'
import type { RunAgentInput } from './wire-run.ts'

export interface DecoderOptions {
  /** Names of the tools that the client runs, where the stream does not echo them. */
  readonly clientTools?: Iterable<string>
  /** Ids of the messages that the run started with, where the stream does not echo them. */
  readonly known?: Iterable<string>
  /** `many`: a run may follow one that has ended, and its commits are another run's. Default `one`: silent after the end. */
  readonly runs?: 'one' | 'many'
  /** Told of each event that says nothing here, such as a custom one, or a fragment of nothing. */
  readonly onIgnored?: (reason: string, event: AgUiEvent) => void
}

const TRUNCATED: Failure = { code: 'stream_truncated', message: 'the stream ended before its end' }
/** What came before it may be missing, too. */
const UNSTARTED: Failure = { code: 'stream_truncated', message: 'the run ended without a RUN_STARTED' }
const ANOTHER: Failure = { code: 'stream_truncated', message: 'another run began before the end of this one' }

export function decoder({ clientTools, known, runs = 'one', onIgnored }: DecoderOptions = {}): Decoder<AgUiEvent> {
  const toolNames = new Set(clientTools)
  const isClientTool = (name: string): boolean => toolNames.has(name)
  const holding = createHolding(() => lineup)
  let lineup = createLineup(isClientTool)
  let values = createValues(lineup, holding)
  let chunks = createChunks()
  let phase: 'new' | 'running' | 'awaiting' | 'ended' = 'new'
  let run: Partial<RunContext> = {}
  let earlier: Earlier = { ids: new Set(known), complete: false }
  /** Something of the run came. Until then a snapshot tells what was before it. */
  let said = false
  /** What the client was to run. */
  let awaited: ReadonlySet<string> = new Set()

  // ── The run ──

  function start({ threadId, runId, parentRunId, input }: RunStartedEvent, items: Items): void {
    if (phase === 'running' && run.runId !== undefined) {
      if (runId === run.runId) return
      holding.flush(items)
      end({ type: 'error', failure: ANOTHER }, {}, items)
      if (runs !== 'many') return
    }
    run = { ...run, threadId, runId, ...(parentRunId === undefined ? {} : { parentRunId }) }
    begin(items)
    if (input) learn(input, items)
    values.start(input?.state)
    // By now the client has run them, whether the stream tells or not.
    lineup.calls.nextRun(awaited)
    awaited = new Set()
  }

  function begin(items: Items): void {
    if (phase === 'running') return
    if (phase === 'ended') {
      lineup = createLineup(isClientTool)
      values = createValues(lineup, holding)
    }
    phase = 'running'
    chunks = createChunks()
    said = false
    items.push({ messages: [], state: RUNNING })
  }

  function learn({ messages, tools = [] }: RunAgentInput, items: Items): void {
    for (const { name } of tools) toolNames.add(name)
    earlier = { ids: new Set([...earlier.ids, ...messages.map(({ id }) => id)]), complete: false }
    for (const message of messages) takeResult(message, lineup, items)
  }

  function finish(event: RunFinishedEvent, items: Items): void {
    if (run.runId === undefined) {
      end({ type: 'error', failure: UNSTARTED }, event, items)
      return
    }
    const message = lineup.take('whole', items)
    close(message, endingOf(event, [...lineup.calls.unanswered(), ...(message ? callsOf(message) : [])]), event, items)
  }

  /** What was being written is kept as far as it came. */
  function end(cause: EndCause, event: Pick<RunErrorEvent, 'usage'>, items: Items): void {
    close(lineup.take('partial', items), { type: 'ended', cause }, event, items)
  }

  function close(
    message: Message | undefined,
    ending: Ending,
    { usage, result }: Pick<RunFinishedEvent, 'usage' | 'result'>,
    items: Items,
  ): void {
    const inferences = inferencesOf(usage)
    const inference = inferences.at(-1)
    if (inferences.length === 1 && inference?.model) run = { ...run, model: inference.model }
    // A commit tells of one model.
    for (const another of inferences.slice(0, -1)) items.push({ messages: [], state: RUNNING, inference: another })
    const state: RunState = ending.type === 'awaiting' ? { type: 'awaiting' } : ending
    const kept =
      ending.type === 'awaiting'
        ? { messages: message ? [message] : [], pending: ending.pending }
        : endRun({ state: RUNNING, openCalls: lineup.calls.open() }, ending.cause, message)
    items.push({
      ...kept,
      state,
      ...(inference ? { inference } : {}),
      ...values.changed(),
      ...(result === undefined ? {} : { result }),
    })
    if (message) lineup.calls.add(message)
    if (ending.type === 'awaiting') awaited = clientCalls(ending.pending)
    phase = ending.type
  }

  // ── Events ──

  function snapshot({ messages }: MessagesSnapshotEvent, items: Items): void {
    if (said) reconcile(messages, lineup, earlier, items)
    else lineup.remember(messages)
    earlier = { ids: new Set([...earlier.ids, ...messages.map(({ id }) => id)]), complete: true }
  }

  function endStep(items: Items): void {
    lineup.endStep()
    const changed = values.changed()
    if (Object.keys(changed).length > 0) items.push({ messages: [], state: RUNNING, ...changed })
  }

  /** Gives a reason for an event that says nothing. */
  function read(event: AgUiEvent, items: Items): string | undefined {
    switch (event.type) {
      case 'STEP_STARTED':
        lineup.release(items)
        lineup.startStep(event.stepName, items)
        return undefined
      case 'STEP_FINISHED':
        endStep(items)
        return undefined
      case 'STATE_SNAPSHOT':
      case 'STATE_DELTA':
      case 'ACTIVITY_SNAPSHOT':
      case 'ACTIVITY_DELTA':
        return values.read(event, items)
      case 'MESSAGES_SNAPSHOT':
        snapshot(event, items)
        return undefined
      case 'RUN_FINISHED':
        finish(event, items)
        return undefined
      case 'RUN_ERROR':
        end({ type: 'error', failure: { code: event.code ?? 'error', message: event.message } }, event, items)
        return undefined
      case 'RUN_STARTED':
      case 'RAW':
      case 'CUSTOM':
      case 'SUBAGENT_STARTED':
      case 'SUBAGENT_FINISHED':
      case 'SUBAGENT_ERROR':
      case 'TEXT_MESSAGE_CHUNK':
      case 'TOOL_CALL_CHUNK':
      case 'REASONING_MESSAGE_CHUNK':
        return 'it has no meaning here'
      default: {
        const reason = speak(event, lineup, items)
        if (event.type === 'TOOL_CALL_RESULT') holding.hold(items)
        return reason
      }
    }
  }

  /**
   * What a fragment of the message that is being written gives, where nothing else is in question: nearly every event is that.
   * Undefined where it is.
   */
  function fragment(event: AgUiEvent): readonly Delta[] | undefined {
    const draft = phase === 'running' && chunks.idle() && holding.idle() ? lineup.current() : undefined
    switch (event.type) {
      case 'TEXT_MESSAGE_CONTENT':
        return draft?.wireId() === event.messageId ? draft.addText(event.delta) : undefined
      case 'REASONING_MESSAGE_CONTENT':
        return draft?.thoughts.has(event.messageId) ? draft.addThought(event.messageId, event.delta) : undefined
      case 'TOOL_CALL_ARGS': {
        const call = draft?.calls.get(event.toolCallId)
        return call && !call.ended ? draft?.addArguments(call, event.delta) : undefined
      }
      default:
        return undefined
    }
  }

  function push(event: AgUiEvent): readonly (Delta | Commit)[] {
    const given = fragment(event)
    if (given) {
      said = true
      return given
    }
    const starts = event.type === 'RUN_STARTED'
    if ((phase === 'ended' && !(starts && runs === 'many')) || (phase === 'awaiting' && !starts)) {
      onIgnored?.('the run is over', event)
      return none
    }
    const items: Items = []
    if (starts) start(event, items)
    else {
      begin(items)
      if (!mayBeTakenBackAfter(event)) {
        lineup.settle(items)
        holding.hold(items)
      }
      if (event.type !== 'STATE_SNAPSHOT' && event.type !== 'ACTIVITY_SNAPSHOT') holding.flush(items)
      const events = chunks.expand(event)
      if (!events) onIgnored?.('the chunk does not say what it belongs to', event)
      for (const part of events ?? none) {
        said ||= part.type !== 'MESSAGES_SNAPSHOT' && part.type !== 'STATE_SNAPSHOT'
        const reason = read(part, items)
        if (reason !== undefined) onIgnored?.(reason, event)
      }
    }
    holding.addAside(items)
    return items
  }

  return {
    push,
    end(failure) {
      // A segment that ended in awaiting had its end, whatever becomes of the connection.
      if (phase === 'ended' || phase === 'awaiting') return none
      const items: Items = []
      holding.flush(items)
      end({ type: 'error', failure: failure ?? TRUNCATED }, {}, items)
      holding.addAside(items)
      return items.filter(isCommit)
    },
    run: () => run,
  }
}

/** What may stand between something that is given up and the snapshot that takes it back. The end of a run settles by itself. */
function mayBeTakenBackAfter({ type }: AgUiEvent): boolean {
  switch (type) {
    case 'TEXT_MESSAGE_END':
    case 'TOOL_CALL_END':
    case 'TOOL_CALL_RESULT':
    case 'REASONING_MESSAGE_END':
    case 'REASONING_END':
    case 'STEP_FINISHED':
    case 'MESSAGES_SNAPSHOT':
    case 'RUN_FINISHED':
    case 'RUN_ERROR':
      return true
    default:
      return false
  }
}
