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
  type OpenCall,
  type Pending,
  type RunContext,
  type RunState,
} from '@factwire/core'
import { createChunks } from './chunks.ts'
import { createDocuments } from './documents.ts'
import { type Ending, endingOf, inferencesOf } from './ending.ts'
import { createLineup, type Items, RUNNING } from './lineup.ts'
import { type Earlier, reconcile, takeResult } from './reconcile.ts'
import { resultBlock } from './stored.ts'
import { createPrinting, outputDelta } from './printing.ts'
import type {
  ActivityDeltaEvent,
  ActivitySnapshotEvent,
  AgUiEvent,
  MessagesSnapshotEvent,
  ReasoningEncryptedValueEvent,
  ReasoningEndEvent,
  ReasoningMessageEndEvent,
  ReasoningMessageStartEvent,
  ReasoningStartEvent,
  RunAgentInput,
  RunErrorEvent,
  RunFinishedEvent,
  RunStartedEvent,
  TextRole,
  ToolCallResultEvent,
} from './wire.ts'

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
const ANOTHER: Failure = { code: 'stream_truncated', message: 'another run began before the end of this one' }

export function decoder(options: DecoderOptions = {}): Decoder<AgUiEvent> {
  const { onIgnored } = options
  let phase: 'new' | 'running' | 'awaiting' | 'ended' = 'new'
  let run: Partial<RunContext> = {}
  let clientTools: ReadonlySet<string> = new Set(options.clientTools ?? [])
  let earlier: Earlier = { ids: new Set(options.known ?? []), complete: false }
  /** Something of the run came: until then a snapshot tells what was before it. */
  let said = false
  const isClientTool = (name: string): boolean => clientTools.has(name)
  let lineup = createLineup(isClientTool)
  let chunks = createChunks()
  let documents = createDocuments()
  let printing = createPrinting()
  let stateRevision = 0
  let activityRevisions = new Map<string, number>()
  /** A commit after which no call is open: a snapshot before the end of its step belongs to it. */
  let held: Commit | undefined
  let aside: Part | undefined
  let awaited: ReadonlySet<string> = new Set()

  function start({ threadId, runId, parentRunId, input }: RunStartedEvent, items: Items): void {
    if (phase === 'running' && run.runId !== undefined) {
      if (runId === run.runId) return
      end({ type: 'error', failure: ANOTHER }, {}, items)
      if (options.runs !== 'many') return
    }
    run = { ...run, threadId, runId, ...(parentRunId === undefined ? {} : { parentRunId }) }
    begin(items)
    if (input) learn(input, items)
    // What the client was to run it has run by now, whether the stream tells or not.
    lineup.calls.nextRun(awaited)
    awaited = new Set()
  }

  function learn(input: RunAgentInput, items: Items): void {
    clientTools = new Set([...clientTools, ...(input.tools ?? []).map(({ name }) => name)])
    earlier = { ids: new Set([...earlier.ids, ...input.messages.map(({ id }) => id)]), complete: false }
    for (const message of input.messages) takeResult(message, lineup, items)
    if (input.state !== undefined) documents.setState(input.state)
  }

  function begin(items: Items): void {
    if (phase === 'running') return
    if (phase === 'ended') {
      lineup = createLineup(isClientTool)
      documents = createDocuments()
    }
    phase = 'running'
    chunks = createChunks()
    said = false
    stateRevision = 0
    activityRevisions = new Map()
    items.push({ messages: [], state: RUNNING })
  }

  function finish(event: RunFinishedEvent, items: Items): void {
    const message = lineup.take('whole', items)
    const ending = endingOf(event, [...lineup.calls.unanswered(), ...callsIn(message)])
    close(message, ending, event, items)
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
    if (inference && inference.model !== '' && inferences.length === 1) run = { ...run, model: inference.model }
    for (const earlier of inferences.slice(0, -1)) items.push({ messages: [], state: RUNNING, inference: earlier })
    const state: RunState = ending.type === 'awaiting' ? { type: 'awaiting' } : ending
    const kept =
      ending.type === 'awaiting'
        ? { messages: message ? [message] : [], pending: ending.pending }
        : endRun({ state: RUNNING, openCalls: lineup.calls.open() }, ending.cause, message)
    items.push({
      ...kept,
      state,
      ...(inference ? { inference } : {}),
      ...documents.changed(),
      ...(result === undefined ? {} : { result }),
    })
    if (message) lineup.calls.add(message)
    if (ending.type === 'awaiting') awaited = clientCalls(ending.pending)
    phase = ending.type
  }

  // ── What belongs together ──

  /** Of a run that says its steps: the snapshots that come before a step's end belong to its last commit. */
  function say(part: Part, items: Items): void {
    if (!lineup.inOwnStep()) items.push({ messages: [], state: RUNNING, ...part })
    else if (lineup.drafts()[0]?.quiet()) aside = joined(aside, part)
    else if (held) held = { ...held, ...joined(held, part) }
    else items.push({ messages: [], state: RUNNING, ...part })
  }

  function hold(items: Items): void {
    const last = items.at(-1)
    if (!lineup.inOwnStep() || !last || !isCommit(last) || last.state.type !== 'running') return
    if (last.messages.length === 0 || lineup.calls.open().length > 0 || lineup.drafts().length > 0) return
    held = last
    items.pop()
  }

  function flush(items: Items): void {
    if (held) items.push(held)
    held = undefined
  }

  /** A snapshot that came while a message was written goes with its commit. */
  function addAside(items: Items): void {
    const index = items.findIndex(
      (item) => isCommit(item) && (item.messages.length > 0 || item.state.type !== 'running'),
    )
    const commit = items[index]
    if (!aside || !commit || !isCommit(commit)) return
    items[index] = { ...commit, ...joined(aside, commit) }
    aside = undefined
  }

  // ── Events ──

  function ignore(reason: string, event: AgUiEvent): void {
    onIgnored?.(reason, event)
  }

  function activity(event: ActivitySnapshotEvent | ActivityDeltaEvent, items: Items): void {
    const printed = printing.read(event)
    if (printed) {
      lineup.runs(printed.callId, items)
      items.push(outputDelta(printed, lineup.nameOf(printed.callId)))
      return
    }
    const { messageId: message_id, activityType: activity_type } = event
    if (event.type === 'ACTIVITY_SNAPSHOT') {
      const { content, replace } = event
      const whole = { message_id, activity_type, content, ...(replace === undefined ? {} : { replace }) }
      if (documents.setActivity(whole)) say({ activities: [whole] }, items)
      else ignore('the activity is there already', event)
      return
    }
    if (!documents.patchActivity(message_id, activity_type, event.patch)) {
      ignore('the patch does not apply', event)
      return
    }
    const revision = activityRevisions.get(message_id) ?? 0
    activityRevisions.set(message_id, revision + 1)
    items.push({ type: 'activity_delta', message_id, activity_type, patch: event.patch, revision })
  }

  function snapshot({ messages }: MessagesSnapshotEvent, items: Items): void {
    if (said) reconcile(messages, lineup, earlier, items)
    earlier = { ids: new Set([...earlier.ids, ...messages.map(({ id }) => id)]), complete: true }
  }

  function toolResult(event: ToolCallResultEvent, items: Items): void {
    const block = resultBlock(event.toolCallId, event.content, event.metadata)
    if (!lineup.result({ messageId: event.messageId, block }, items)) ignore('the call has its result already', event)
  }

  function encrypted({ entityId, encryptedValue }: ReasoningEncryptedValueEvent): boolean {
    const draft = lineup.withThought(entityId) ?? lineup.find(entityId)
    if (!draft) return false
    if (!draft.thoughts.has(entityId)) {
      draft.thoughts.start(entityId)
      draft.thoughts.end(entityId)
    }
    return draft.thoughts.seal(entityId, { encrypted: encryptedValue })
  }

  function read(event: AgUiEvent, items: Items): void {
    said ||= event.type !== 'MESSAGES_SNAPSHOT' && event.type !== 'STATE_SNAPSHOT'
    switch (event.type) {
      case 'TEXT_MESSAGE_CONTENT': {
        const { messageId, delta, subagentRunId } = event
        const draft = lineup.find(messageId) ?? lineup.text(messageId, 'assistant', subagentRunId, items)
        items.push(...draft.addText(delta))
        break
      }
      case 'TOOL_CALL_ARGS': {
        const draft = lineup.withCall(event.toolCallId)
        const call = draft?.calls.get(event.toolCallId)
        if (draft && call && !call.ended) items.push(...draft.addArguments(call, event.delta))
        else ignore(call ? 'the arguments are complete' : 'there is no such call', event)
        break
      }
      case 'REASONING_MESSAGE_CONTENT': {
        const { messageId, delta, subagentRunId } = event
        const draft = lineup.withThought(messageId) ?? lineup.thought(messageId, subagentRunId, items)
        items.push(...draft.addThought(messageId, delta))
        break
      }
      case 'TEXT_MESSAGE_START': {
        lineup.release(items, event.messageId)
        lineup.text(event.messageId, roleOf(event.role), event.subagentRunId, items).textOpen = true
        break
      }
      case 'TEXT_MESSAGE_END': {
        const draft = lineup.find(event.messageId)
        if (!draft) break
        draft.textOpen = false
        lineup.ended(draft, items)
        break
      }
      case 'TOOL_CALL_START': {
        const { toolCallId: id, toolCallName: name, parentMessageId: parent, subagentRunId: owner } = event
        lineup.release(items, parent)
        if (!lineup.startCall({ id, name, parent, owner }, items)) ignore('the call is there already', event)
        break
      }
      case 'TOOL_CALL_END': {
        const draft = lineup.withCall(event.toolCallId)
        const call = draft?.calls.get(event.toolCallId)
        if (!draft || !call) break
        call.ended = true
        lineup.ended(draft, items)
        break
      }
      case 'TOOL_CALL_RESULT':
        toolResult(event, items)
        hold(items)
        break
      case 'REASONING_START':
      case 'REASONING_MESSAGE_START':
        lineup.release(items)
        lineup.thought(event.messageId, event.subagentRunId, items).thoughts.start(event.messageId)
        sign(event)
        break
      case 'REASONING_MESSAGE_END':
      case 'REASONING_END':
        sign(event)
        lineup.withThought(event.messageId)?.thoughts.end(event.messageId)
        break
      case 'REASONING_ENCRYPTED_VALUE':
        if (!encrypted(event)) ignore('there is nothing that it belongs to', event)
        break
      case 'STEP_STARTED': {
        lineup.release(items)
        lineup.startStep(event.stepName)
        break
      }
      case 'STEP_FINISHED': {
        lineup.endStep()
        const changed = documents.changed()
        if (Object.keys(changed).length > 0) items.push({ messages: [], state: RUNNING, ...changed })
        break
      }
      case 'STATE_SNAPSHOT':
        documents.setState(event.snapshot)
        say({ snapshot: event.snapshot }, items)
        break
      case 'STATE_DELTA':
        if (documents.patchState(event.delta)) {
          items.push({ type: 'state_delta', delta: event.delta, revision: stateRevision++ })
        } else ignore('the patch does not apply', event)
        break
      case 'ACTIVITY_SNAPSHOT':
      case 'ACTIVITY_DELTA':
        activity(event, items)
        break
      case 'MESSAGES_SNAPSHOT':
        snapshot(event, items)
        break
      case 'RUN_FINISHED':
        finish(event, items)
        break
      case 'RUN_ERROR':
        end({ type: 'error', failure: { code: event.code ?? 'error', message: event.message } }, event, items)
        break
      default:
        ignore('it has no meaning here', event)
    }
  }

  function sign({ messageId, metadata }: ReasoningBracket): void {
    const signature = metadata?.factwire?.signature
    if (signature !== undefined) lineup.withThought(messageId)?.thoughts.seal(messageId, { signature })
  }

  function push(event: AgUiEvent): readonly (Delta | Commit)[] {
    const starts = event.type === 'RUN_STARTED'
    if ((phase === 'ended' && !(starts && options.runs === 'many')) || (phase === 'awaiting' && !starts)) {
      ignore('the run is over', event)
      return none
    }
    const items: Items = []
    if (starts) start(event, items)
    else {
      begin(items)
      if (!isEnding(event)) {
        lineup.settle(items)
        hold(items)
      }
      if (!isSnapshot(event)) flush(items)
      const events = chunks.expand(event)
      if (!events) ignore('the chunk does not say what it belongs to', event)
      for (const part of events ?? none) read(part, items)
    }
    if (aside) addAside(items)
    return items
  }

  return {
    push,
    end(failure) {
      // A segment that ended in awaiting had its end, whatever becomes of the connection.
      if (phase === 'ended' || phase === 'awaiting') return none
      const items: Items = []
      flush(items)
      end({ type: 'error', failure: failure ?? TRUNCATED }, {}, items)
      addAside(items)
      return items.filter(isCommit)
    },
    run: () => run,
  }
}

type ReasoningBracket = ReasoningStartEvent | ReasoningEndEvent | ReasoningMessageStartEvent | ReasoningMessageEndEvent

type Part = Pick<Commit, 'snapshot' | 'activities'>

function joined(earlier: Part | undefined, later: Part): Part {
  const activities = [...(earlier?.activities ?? []), ...(later.activities ?? [])]
  return { ...earlier, ...later, ...(activities.length > 0 ? { activities } : {}) }
}

function clientCalls(pending: readonly Pending[]): ReadonlySet<string> {
  return new Set(pending.filter(({ kind }) => kind === 'client').map((entry) => entry.tool_use_id))
}

function callsIn(message: Message | undefined): readonly OpenCall[] {
  const blocks = message?.content.filter((block) => block.type === 'tool_use') ?? []
  return blocks.map(({ id, name }) => ({ id, name, message_id: message?.id ?? '' }))
}

function roleOf(role: TextRole = 'assistant'): 'assistant' | 'system' | 'user' {
  return role === 'developer' ? 'system' : role
}

function isSnapshot({ type }: AgUiEvent): boolean {
  return type === 'STATE_SNAPSHOT' || type === 'ACTIVITY_SNAPSHOT'
}

/** What may stand between a call or a message that is given up and the snapshot that takes it back. The end of a run settles by itself. */
function isEnding({ type }: AgUiEvent): boolean {
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
