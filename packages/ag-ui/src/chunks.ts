/**
 * `*_CHUNK` events as starts, contents and ends; everything else goes through, with the ends that it implies before it.
 *
 * Each subagent has a lane of its own. Where the official client gives up, at a continuation without an id or at calls whose
 * fragments alternate, this reads what is plainly meant.
 */
import type { AgUiEvent, ReasoningMessageChunkEvent, TextMessageChunkEvent, ToolCallChunkEvent } from './wire.ts'

type Kind = 'text' | 'reasoning' | 'tool'
type Chunk = TextMessageChunkEvent | ReasoningMessageChunkEvent | ToolCallChunkEvent

interface Lane {
  kind: Kind
  /** What is open: one message, or calls beside each other. */
  readonly open: Set<string>
  /** The last id of each kind, which a chunk without one goes on with. */
  readonly last: Map<Kind, string>
  /** Names of the calls of this lane. */
  readonly names: Map<string, string>
}

export interface Chunks {
  /** Undefined for a chunk that nothing can be made of. */
  expand(event: AgUiEvent): readonly AgUiEvent[] | undefined
  /** No chunk has come: events are what they are. */
  idle(): boolean
}

export function createChunks(): Chunks {
  const lanes = new Map<string | undefined, Lane>()

  function laneOf(owner: string | undefined): Lane {
    let lane = lanes.get(owner)
    if (!lane) {
      lane = { kind: 'text', open: new Set(), last: new Map(), names: new Map() }
      lanes.set(owner, lane)
    }
    return lane
  }

  function close(owner: string | undefined): AgUiEvent[] {
    const lane = lanes.get(owner)
    if (!lane || lane.open.size === 0) return []
    const ends = [...lane.open].map((id) => endOf(lane.kind, id, owner))
    lane.open.clear()
    return ends
  }

  function before(event: AgUiEvent): AgUiEvent[] {
    switch (event.type) {
      case 'RUN_STARTED':
      case 'RUN_FINISHED':
      case 'RUN_ERROR':
      case 'MESSAGES_SNAPSHOT':
        return [...lanes.keys()].flatMap(close)
      case 'RAW':
      case 'ACTIVITY_SNAPSHOT':
      case 'ACTIVITY_DELTA':
      case 'REASONING_ENCRYPTED_VALUE':
      case 'SUBAGENT_STARTED':
        return []
      default:
        return close(event.subagentRunId)
    }
  }

  function chunk(event: Chunk, kind: Kind, given: string | undefined): readonly AgUiEvent[] | undefined {
    const lane = laneOf(event.subagentRunId)
    const id = given ?? lane.last.get(kind)
    if (id === undefined) return undefined
    if (event.type === 'TOOL_CALL_CHUNK' && event.toolCallName !== undefined) lane.names.set(id, event.toolCallName)
    const name = kind === 'tool' ? lane.names.get(id) : ''
    if (name === undefined) return undefined
    const goesOn = lane.kind === kind && (kind === 'tool' || lane.open.has(id))
    const events = goesOn ? [] : close(event.subagentRunId)
    lane.kind = kind
    lane.last.set(kind, id)
    if (!lane.open.has(id)) {
      lane.open.add(id)
      events.push(startOf(event, id, name))
    }
    if (event.delta !== undefined) events.push(contentOf(event, id, event.delta))
    return events
  }

  return {
    idle: () => lanes.size === 0,
    expand(event) {
      switch (event.type) {
        case 'TEXT_MESSAGE_CHUNK':
          return chunk(event, 'text', event.messageId)
        case 'REASONING_MESSAGE_CHUNK':
          return chunk(event, 'reasoning', event.messageId)
        case 'TOOL_CALL_CHUNK':
          return chunk(event, 'tool', event.toolCallId)
        default: {
          if (lanes.size === 0) return [event]
          const ends = before(event)
          return ends.length === 0 ? [event] : [...ends, event]
        }
      }
    },
  }
}

/** What a chunk shares with each event that it becomes. */
function shared({
  timestamp,
  metadata,
  subagentRunId,
}: Chunk): Pick<Chunk, 'timestamp' | 'metadata' | 'subagentRunId'> {
  return {
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(subagentRunId === undefined ? {} : { subagentRunId }),
  }
}

function startOf(event: Chunk, id: string, name: string): AgUiEvent {
  switch (event.type) {
    case 'TEXT_MESSAGE_CHUNK':
      return {
        type: 'TEXT_MESSAGE_START',
        messageId: id,
        ...(event.role === undefined ? {} : { role: event.role }),
        ...(event.name === undefined ? {} : { name: event.name }),
        ...shared(event),
      }
    case 'REASONING_MESSAGE_CHUNK':
      return { type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning', ...shared(event) }
    case 'TOOL_CALL_CHUNK':
      return {
        type: 'TOOL_CALL_START',
        toolCallId: id,
        toolCallName: name,
        ...(event.parentMessageId === undefined ? {} : { parentMessageId: event.parentMessageId }),
        ...shared(event),
      }
  }
}

function contentOf(event: Chunk, id: string, delta: string): AgUiEvent {
  switch (event.type) {
    case 'TEXT_MESSAGE_CHUNK':
      return { type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta, ...shared(event) }
    case 'REASONING_MESSAGE_CHUNK':
      return { type: 'REASONING_MESSAGE_CONTENT', messageId: id, delta, ...shared(event) }
    case 'TOOL_CALL_CHUNK':
      return { type: 'TOOL_CALL_ARGS', toolCallId: id, delta, ...shared(event) }
  }
}

function endOf(kind: Kind, id: string, owner: string | undefined): AgUiEvent {
  const whose = owner === undefined ? {} : { subagentRunId: owner }
  switch (kind) {
    case 'text':
      return { type: 'TEXT_MESSAGE_END', messageId: id, ...whose }
    case 'reasoning':
      return { type: 'REASONING_MESSAGE_END', messageId: id, ...whose }
    case 'tool':
      return { type: 'TOOL_CALL_END', toolCallId: id, ...whose }
  }
}
