/**
 * The blocks of one message: numbered without gaps, one after the other. What comes while a call is being written waits until that is
 * committed: a block cannot stand inside another, and clients run a call as soon as its block ends.
 */
import { argumentsOf, type CallItem, type ContentBlock, type Json, none, type RunContext } from '@factwire/core'
import { beginsObject } from './begins-object.ts'
import { pieceEvents } from './piece-event.ts'
import { NO_USAGE } from './usage.ts'
import type { MessagesUsage, StopReason, TextBlock, WrittenBlock, WrittenDelta, WrittenEvent } from './wire.ts'

/** Between the texts of two messages that stand next to each other: readers join neighbours. */
const BETWEEN = '\n\n'

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: Json
  /** As the model wrote it. */
  readonly raw_input?: string
}

/** `owner` is the message that a block is of, as an object: another one begins another block. */
export interface Sending {
  start(): WrittenEvent
  say(owner: object, text: string): readonly WrittenEvent[]
  think(owner: object, thought: string): readonly WrittenEvent[]
  /** What the provider wants back with the thought. */
  seal(owner: object, signature: string): readonly WrittenEvent[]
  /** A thought that the provider shows to nobody. */
  withhold(data: string): readonly WrittenEvent[]
  /** No call is being written. */
  hasRoom(): boolean
  /** A call that the client is to run begins to be written, with what there is of its arguments. */
  begin(owner: object, call: CallItem): readonly WrittenEvent[]
  /** More arguments of the call that is being written; of any other nothing. */
  write(call: CallItem, piece: string): readonly WrittenEvent[]
  /** The call that is being written is committed: `tail` is what is missing of its arguments. */
  complete(tail: string): readonly WrittenEvent[]
  /** A whole call that the client is to run. */
  offer(owner: object, call: Call): readonly WrittenEvent[]
  /** A call that the agent runs. */
  run(owner: object, call: Call): readonly WrittenEvent[]
  result(id: string, content: readonly ContentBlock[], is_error: boolean): readonly WrittenEvent[]
  /** Ids of the calls that were offered, and of those that the agent runs. */
  readonly offered: ReadonlySet<string>
  readonly told: ReadonlySet<string>
  stop(reason: StopReason, usage: MessagesUsage): readonly WrittenEvent[]
}

interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'call'
  readonly owner: object
  piece(text: string): WrittenEvent
}

const DELTA_OF: Readonly<Record<OpenBlock['kind'], (piece: string) => WrittenDelta>> = {
  text: (text) => ({ type: 'text_delta', text }),
  thinking: (thinking) => ({ type: 'thinking_delta', thinking }),
  call: (partial_json) => ({ type: 'input_json_delta', partial_json }),
}

/** Results are of no message. */
const RESULT: object = {}

const EMPTY_TEXT: TextBlock = { type: 'text', text: '' }

export function createSending({ runId, model, agentId, history = [] }: RunContext): Sending {
  let count = 0
  let open: OpenBlock | undefined
  let writing: CallItem | undefined
  let waiting: (() => readonly WrittenEvent[])[] = []
  /** Whose text was sent last, and whose calls and results stand behind it: between those two nothing else parts texts. */
  let speaking: object | undefined
  const parting = new Set<object>()
  const offered = new Set<string>()
  const told = new Set<string>()

  function close(): readonly WrittenEvent[] {
    if (!open) return none
    open = undefined
    return [{ type: 'content_block_stop', index: count - 1 }]
  }

  function begin(kind: OpenBlock['kind'], owner: object, content_block: WrittenBlock): readonly WrittenEvent[] {
    const before = close()
    const index = count++
    open = { kind, owner, piece: pieceEvents(index, DELTA_OF[kind]) }
    return [...before, { type: 'content_block_start', index, content_block }]
  }

  function piece(text: string): WrittenEvent {
    return (open as OpenBlock).piece(text)
  }

  /** Into the open block, if it is of that kind and message. */
  function goOn(kind: OpenBlock['kind'], owner: object, text: string): readonly WrittenEvent[] | undefined {
    return open?.kind === kind && open.owner === owner ? [open.piece(text)] : undefined
  }

  function whole(content_block: WrittenBlock): readonly WrittenEvent[] {
    const before = close()
    const index = count++
    return [...before, { type: 'content_block_start', index, content_block }, { type: 'content_block_stop', index }]
  }

  /** Ends the call that is being written, and gives what has waited for that. */
  function release(): readonly WrittenEvent[] {
    writing = undefined
    const held = waiting
    waiting = []
    return [...close(), ...held.flatMap((give) => give())]
  }

  function inTurn(give: () => readonly WrittenEvent[]): readonly WrittenEvent[] {
    if (!writing) return give()
    waiting.push(give)
    return none
  }

  function say(owner: object, text: string): readonly WrittenEvent[] {
    const more = goOn('text', owner, text)
    if (more) return more
    const isNew = speaking !== undefined && speaking !== owner
    const parted = [...parting].some((other) => other !== owner)
    for (const other of parting) if (other !== owner) parting.delete(other)
    speaking = owner
    return [...begin('text', owner, EMPTY_TEXT), piece(isNew && !parted ? BETWEEN + text : text)]
  }

  const beginThought = (owner: object): readonly WrittenEvent[] =>
    begin('thinking', owner, { type: 'thinking', thinking: '', signature: '' })

  return {
    offered,
    told,

    start: () => ({
      type: 'message_start',
      message: {
        // A run that goes on after it had waited is told its history, which has grown: that is another message, with an id of its own.
        id: history.length > 0 ? `msg_${runId}_${history.length}` : `msg_${runId}`,
        type: 'message',
        role: 'assistant',
        model: model ?? agentId ?? 'agent',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: NO_USAGE,
      },
    }),

    // Nearly all that is sent: nothing is made for it that is not needed.
    say: (owner, text) => (writing ? inTurn(() => say(owner, text)) : say(owner, text)),

    think: (owner, thought) =>
      inTurn(() => goOn('thinking', owner, thought) ?? [...beginThought(owner), piece(thought)]),

    seal: (owner, signature) =>
      inTurn(() => {
        const before = open?.kind === 'thinking' && open.owner === owner ? none : beginThought(owner)
        const index = count - 1
        return [
          ...before,
          { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } },
          ...close(),
        ]
      }),

    withhold: (data) => inTurn(() => whole({ type: 'redacted_thinking', data })),

    hasRoom: () => !writing,

    begin(owner, call) {
      const { wireId: id, name } = call
      offered.add(id)
      parting.add(owner)
      writing = call
      return [...begin('call', owner, { type: 'tool_use', id, name, input: {} }), piece(call.shown.join(''))]
    },

    write: (call, text) => (writing === call ? [piece(text)] : none),
    complete: (tail) => [...(tail === '' ? none : [piece(tail)]), ...release()],

    offer: (owner, call) =>
      inTurn(() => {
        const { id, name, input } = call
        offered.add(id)
        const text = argumentsOf(call)
        // Clients read arguments in pieces only where they are an object. None at all are an empty piece.
        const isObject = beginsObject([text])
        const block = begin('call', owner, { type: 'tool_use', id, name, input: isObject ? {} : input })
        return [...block, ...(isObject ? [piece(text === '{}' ? '' : text)] : none), ...close()]
      }),

    run: (owner, { id, name, input }) =>
      inTurn(() => {
        told.add(id)
        parting.add(owner)
        return whole({ type: 'mcp_tool_use', id, name, server_name: agentId ?? 'agent', input })
      }),

    result: (tool_use_id, content, is_error) =>
      inTurn(() => {
        parting.add(RESULT)
        const texts = content.flatMap((block): TextBlock[] =>
          block.type === 'text' ? [{ type: 'text', text: block.text }] : [],
        )
        return whole({ type: 'mcp_tool_result', tool_use_id, is_error, content: texts })
      }),

    stop: (stop_reason, usage) => [
      ...(writing ? release() : close()),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ],
  }
}
