/** What an event does to the machines of this wire: to the run, to what stands open, and to what its client holds. */
import { type Move, none } from '@factwire/core'
import type { MachineName } from './machines.ts'
import { begins, beginsCall, claims, goesOn, newRun, replaces, seals, told } from './owners.ts'
import { endsPiece, endsPieces, type Piece, pieceMoves } from './pieces.ts'
import type { AgUiMessage } from './wire-message.ts'
import type {
  AgUiEvent,
  MessagesSnapshotEvent,
  ReasoningMessageChunkEvent,
  RunFinishedEvent,
  TextMessageChunkEvent,
  ToolCallChunkEvent,
} from './wire.ts'

const to = (machine: MachineName, input: string, key?: string): Move => ({
  machine,
  input,
  ...(key === undefined ? {} : { key }),
})
const every = (machine: MachineName, input: string): Move => ({ machine, input, every: true })

const USE: Move = to('run', 'use')

/** What stands open while a run lasts. */
const OPENING: readonly MachineName[] = ['step', 'text', 'reasoning', 'thought', 'call', 'subagent']
const toAll = (input: string): readonly Move[] => OPENING.map((machine) => every(machine, input))

export function moves(event: AgUiEvent): readonly Move[] {
  switch (event.type) {
    case 'RUN_STARTED':
      return [
        to('run', 'run_started'),
        ...toAll('run_started'),
        ...endsPieces,
        newRun,
        ...echoed(event.input?.messages),
        ...told(event.input?.messages ?? none, claims),
      ]
    case 'RUN_FINISHED': {
      const input = waits(event) ? 'run_waits' : 'run_finished'
      return [to('run', input), ...toAll(input), ...endsPieces]
    }
    case 'RUN_ERROR':
      return [to('run', 'run_error'), ...toAll('run_error'), ...endsPieces]

    case 'STEP_STARTED':
    case 'STEP_FINISHED': {
      // Whoever starts a step finishes it.
      const key =
        event.subagentRunId === undefined ? event.stepName : JSON.stringify([event.subagentRunId, event.stepName])
      return explicit(event, to('step', event.type === 'STEP_STARTED' ? 'start' : 'end', key))
    }

    case 'TEXT_MESSAGE_START':
      return explicit(
        event,
        to('text', 'start', event.messageId),
        to('message', textOf(event.role), event.messageId),
        ...begins('message', event.messageId, event.subagentRunId),
      )
    case 'TEXT_MESSAGE_CONTENT':
      return explicit(
        event,
        to('text', 'content', event.messageId),
        to('message', 'content', event.messageId),
        ...goesOn('message', event.messageId, event.subagentRunId),
      )
    case 'TEXT_MESSAGE_END':
      return explicit(
        event,
        to('text', 'end', event.messageId),
        to('message', 'content', event.messageId),
        ...goesOn('message', event.messageId, event.subagentRunId),
      )
    case 'TEXT_MESSAGE_CHUNK':
      return textChunk(event)

    case 'REASONING_START':
      return explicit(
        event,
        to('reasoning', 'start', event.messageId),
        ...begins('reasoning', event.messageId, event.subagentRunId),
      )
    case 'REASONING_END':
      return explicit(
        event,
        to('reasoning', 'end', event.messageId),
        ...goesOn('reasoning', event.messageId, event.subagentRunId),
      )
    case 'REASONING_MESSAGE_START':
      return explicit(
        event,
        to('thought', 'start', event.messageId),
        to('message', 'thought', event.messageId),
        ...begins('reasoning', event.messageId, event.subagentRunId),
      )
    case 'REASONING_MESSAGE_CONTENT':
      return explicit(
        event,
        to('thought', 'content', event.messageId),
        to('message', 'thought_content', event.messageId),
        ...goesOn('reasoning', event.messageId, event.subagentRunId),
      )
    case 'REASONING_MESSAGE_END':
      return explicit(
        event,
        to('thought', 'end', event.messageId),
        to('message', 'thought_content', event.messageId),
        ...goesOn('reasoning', event.messageId, event.subagentRunId),
      )
    case 'REASONING_MESSAGE_CHUNK':
      return thoughtChunk(event)
    case 'REASONING_ENCRYPTED_VALUE':
      return [
        USE,
        to(event.subtype === 'message' ? 'message' : 'kept_call', 'sealed', event.entityId),
        ...seals(event.subtype, event.entityId, event.subagentRunId),
      ]

    case 'TOOL_CALL_START':
      return explicit(
        event,
        to('call', 'start', event.toolCallId),
        ...callHeld(event.toolCallId, event.toolCallName, event.parentMessageId),
        ...beginsCall(event.toolCallId, event.parentMessageId, event.subagentRunId),
      )
    case 'TOOL_CALL_ARGS':
      return explicit(
        event,
        to('call', 'content', event.toolCallId),
        to('kept_call', 'content', event.toolCallId),
        ...goesOn('call', event.toolCallId, event.subagentRunId),
      )
    case 'TOOL_CALL_END':
      return explicit(
        event,
        to('call', 'end', event.toolCallId),
        to('kept_call', 'content', event.toolCallId),
        ...goesOn('call', event.toolCallId, event.subagentRunId),
      )
    case 'TOOL_CALL_CHUNK':
      return callChunk(event)
    case 'TOOL_CALL_RESULT':
      return explicit(
        event,
        to('call', 'result', event.toolCallId),
        to('message', 'result', event.messageId),
        ...replaces('message', event.messageId, event.subagentRunId),
      )

    case 'MESSAGES_SNAPSHOT':
      return [USE, ...endsPieces, ...snapshot(event), ...told(event.messages, replaces)]
    case 'ACTIVITY_SNAPSHOT':
      return [
        USE,
        to('message', event.replace === false ? 'activity_kept' : 'activity', event.messageId),
        ...(event.replace === false ? claims : replaces)('activity', event.messageId, event.subagentRunId),
      ]
    case 'ACTIVITY_DELTA':
      return [USE, to('message', 'patch', event.messageId), ...goesOn('activity', event.messageId, event.subagentRunId)]

    case 'SUBAGENT_STARTED': {
      const parent = event.parentSubagentRunId
      return [
        USE,
        ...(parent === undefined ? none : [to('subagent', 'parent', parent)]),
        to('subagent', 'start', event.subagentRunId),
      ]
    }
    case 'SUBAGENT_FINISHED':
    case 'SUBAGENT_ERROR':
      return explicit(event, to('subagent', 'end', event.subagentRunId))

    case 'STATE_SNAPSHOT':
    case 'STATE_DELTA':
    case 'CUSTOM':
      return explicit(event)
    case 'RAW':
      return [USE]
  }
}

/** Whatever is no chunk ends the chunks of its lane. */
const explicit = (event: { readonly subagentRunId?: string }, ...moves: readonly Move[]): readonly Move[] => [
  USE,
  ...endsPiece(event.subagentRunId),
  ...moves,
]

const textOf = (role: string | undefined): string =>
  role === undefined || role === 'assistant' ? 'text' : 'other_text'

function textChunk({ messageId: id, subagentRunId: owner, role, name }: TextMessageChunkEvent): readonly Move[] {
  const words: Piece['words'] = { role: { said: role, else: 'assistant' }, name: { said: name } }
  const piece = pieceMoves({ kind: 'text', id, owner, begins: true, words })
  return id === undefined ? [USE, ...piece] : [USE, ...piece, to('text', 'chunk', id), to('message', textOf(role), id)]
}

function thoughtChunk({ messageId: id, subagentRunId: owner }: ReasoningMessageChunkEvent): readonly Move[] {
  const piece = pieceMoves({ kind: 'reasoning', id, owner, begins: true, words: {} })
  return id === undefined ? [USE, ...piece] : [USE, ...piece, to('thought', 'chunk', id), to('message', 'thought', id)]
}

function callChunk(event: ToolCallChunkEvent): readonly Move[] {
  const { toolCallId: id, toolCallName: name, parentMessageId: parent, subagentRunId: owner } = event
  const words: Piece['words'] = { toolCallName: { said: name }, parentMessageId: { said: parent } }
  const piece = pieceMoves({ kind: 'call', id, owner, begins: name !== undefined, words })
  if (id === undefined || name === undefined) return [USE, ...piece]
  return [USE, ...piece, to('call', 'chunk', id), ...callHeld(id, name, parent)]
}

/** Without a parent a client makes a message of the call's own id. */
function callHeld(callId: string, callName: string, parent: string | undefined): readonly Move[] {
  const message = parent === undefined ? to('message', 'own_call', callId) : to('message', 'parent', parent)
  const named = JSON.stringify([callId, callName])
  return [
    { ...message, when: { machine: 'kept_call', key: callId, states: ['unknown', 'lost'] } },
    { ...to('kept_call', 'renamed', callId), when: { machine: 'call_name', key: named, states: ['unknown'] } },
    to('kept_call', 'start', callId),
    to('call_name', 'met', named),
  ]
}

/** The outcome says it, or our metadata where it cannot. */
function waits({ outcome, metadata }: RunFinishedEvent): boolean {
  if (outcome?.type === 'interrupt' || metadata?.factwire?.pending !== undefined) return true
  return outcome?.type === 'success' && (outcome.pendingToolCallIds ?? none).length > 0
}

/** A client drops what a snapshot does not hold; thoughts and activities only where it holds some. */
function snapshot({ messages }: MessagesSnapshotEvent): readonly Move[] {
  const holds = (role: AgUiMessage['role']): boolean => messages.some((message) => message.role === role)
  return [
    every('message', 'snapshot'),
    every('call', 'snapshot'),
    every('kept_call', 'snapshot'),
    every('call_name', 'snapshot'),
    ...(holds('reasoning') ? [every('message', 'snapshot_of_thoughts')] : none),
    ...(holds('activity') ? [every('message', 'snapshot_of_activities')] : none),
    ...echoed(messages),
  ]
}

const echoed = (messages: readonly AgUiMessage[] = []): readonly Move[] =>
  messages.flatMap((message) => [
    to('message', givenAs(message.role), message.id),
    ...(message.role === 'assistant' ? (message.toolCalls ?? none) : none).flatMap((call) => [
      to('kept_call', 'given', call.id),
      to('call_name', 'met', JSON.stringify([call.id, call.function.name])),
    ]),
  ])

function givenAs(role: AgUiMessage['role']): string {
  switch (role) {
    case 'assistant':
    case 'activity':
      return `given_${role}`
    case 'reasoning':
      return 'given_thought'
    case 'tool':
      return 'given_result'
    case 'developer':
    case 'system':
    case 'user':
      return 'given_other'
  }
}
