/**
 * The events of one response: which number each has, which items there are, and what belongs around what is said in them.
 *
 * Items stay in the order in which they were begun. What of them is the truth is the transcoder's to say.
 */
import type { RunContext, ToolCallFact } from '@factwire/core'
import type { Counter, Room } from './counter.ts'
import { type FunctionCallItem, type McpCallItem, type OutputItem, outputText, reasoningItem } from './item.ts'
import type { Pieces } from './piece-event.ts'
import { argumentPieces, messagePieces, type Place, thoughtPieces } from './pieces.ts'
import type { WrittenEvent } from './wire.ts'

/** An item that was begun. */
export interface Sent {
  readonly id: string
  readonly index: number
  readonly kind: OutputItem['type']
  /** As it is told with its end; before that, as it began. */
  item: OutputItem
  /** The next piece of what is said in it. */
  readonly piece: Pieces
  done: boolean
  /** Of a call: all its arguments were told. */
  told: boolean
  /** It is a part of what is committed. */
  kept: boolean
}

export interface CallHead {
  /** As the client knows it. */
  readonly id: string
  readonly name: string
  /** The item in which somebody was asked, in an earlier response. */
  readonly approvalRequest?: string
}

export interface CallResult {
  readonly output: string | null
  /** Why there is no output. */
  readonly error: string | null
}

/** How many events end a thought. */
export const THOUGHT_ENDS = 3

export type CallKind = 'function_call' | 'mcp_call'

export interface Sending {
  readonly sent: readonly Sent[]
  /** What follows is out of order. */
  readonly leap: () => void
  /** Room for what is thought before a text. */
  readonly reserve: () => Room
  message(id: string, into: WrittenEvent[]): Sent
  endMessage(message: Sent, text: string, whole: boolean, into: WrittenEvent[]): void
  thought(of: string, into: WrittenEvent[]): Sent
  endThought(thought: Sent, text: string, encrypted: string | undefined, into: WrittenEvent[]): void
  /** A thought that nobody may read, and its provider wants back. */
  sealed(of: string, encrypted: string, into: WrittenEvent[]): Sent
  call(kind: CallKind, head: CallHead, into: WrittenEvent[]): Sent
  /** All its arguments are there. */
  endArguments(call: Sent, args: string, into: WrittenEvent[]): void
  /** From now on the client is to run it. */
  handOver(call: Sent, into: WrittenEvent[]): void
  /** The agent has run it, or given it up. */
  endCall(call: Sent, result: CallResult, into: WrittenEvent[]): void
  question(
    call: Pick<ToolCallFact, 'name'> & { readonly id: string; readonly args: string },
    into: WrittenEvent[],
  ): Sent
}

export function createSending(counter: Counter, serverLabel: string): Sending {
  const sent: Sent[] = []
  const taken = new Set<string>()

  const count = (): number => counter.count()

  function unused(id: string): string {
    let free = id
    for (let number = 2; taken.has(free); number++) free = `${id}-${number}`
    taken.add(free)
    return free
  }

  function begin(item: OutputItem, pieces: (place: Place) => Pieces, into: WrittenEvent[]): Sent {
    const index = sent.length
    const begun: Sent = {
      id: item.id,
      index,
      kind: item.type,
      item,
      piece: pieces({ item_id: item.id, output_index: index }),
      done: false,
      told: false,
      kept: false,
    }
    sent.push(begun)
    into.push({ type: 'response.output_item.added', sequence_number: count(), output_index: index, item })
    return begun
  }

  function end(of: Sent, item: OutputItem, into: WrittenEvent[]): void {
    of.item = item
    of.done = true
    into.push({ type: 'response.output_item.done', sequence_number: count(), output_index: of.index, item })
  }

  const placeOf = ({ id, index }: Sent): Place => ({ item_id: id, output_index: index })

  function mcpItem(of: Sent, changes: Partial<McpCallItem>): McpCallItem | undefined {
    return of.item.type === 'mcp_call' ? { ...of.item, ...changes } : undefined
  }

  return {
    sent,
    leap: counter.leap,
    reserve: counter.reserve,

    message(id, into) {
      const item: OutputItem = {
        id: unused(id),
        type: 'message',
        status: 'in_progress',
        role: 'assistant',
        content: [],
      }
      const begun = begin(item, messagePieces(counter), into)
      into.push({
        type: 'response.content_part.added',
        sequence_number: count(),
        ...placeOf(begun),
        content_index: 0,
        part: outputText(''),
      })
      return begun
    },

    endMessage(message, text, whole, into) {
      const place = { ...placeOf(message), content_index: 0 } as const
      const part = outputText(text)
      into.push(
        { type: 'response.output_text.done', sequence_number: count(), ...place, text, logprobs: [] },
        { type: 'response.content_part.done', sequence_number: count(), ...place, part },
      )
      const { id } = message
      const status = whole ? 'completed' : 'incomplete'
      end(message, { id, type: 'message', status, role: 'assistant', content: [part] }, into)
    },

    thought(of, into) {
      const item = reasoningItem(unused(`rs_${of}`))
      const begun = begin(item, thoughtPieces(counter), into)
      into.push({
        type: 'response.reasoning_summary_part.added',
        sequence_number: count(),
        ...placeOf(begun),
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      })
      return begun
    },

    endThought(thought, text, encrypted, into) {
      const place = { ...placeOf(thought), summary_index: 0 } as const
      const part = { type: 'summary_text', text } as const
      into.push(
        { type: 'response.reasoning_summary_text.done', sequence_number: count(), ...place, text },
        { type: 'response.reasoning_summary_part.done', sequence_number: count(), ...place, part },
      )
      end(thought, reasoningItem(thought.id, text, encrypted), into)
    },

    sealed(of, encrypted, into) {
      const begun = begin(reasoningItem(unused(`rs_${of}`)), thoughtPieces(counter), into)
      end(begun, reasoningItem(begun.id, undefined, encrypted), into)
      return begun
    },

    call(kind, { id, name, approvalRequest }, into) {
      if (kind === 'function_call') {
        const item: FunctionCallItem = {
          id: unused(prefixed('fc_', id)),
          type: 'function_call',
          status: 'in_progress',
          arguments: '',
          call_id: id,
          name,
        }
        return begin(item, argumentPieces(counter, 'response.function_call_arguments.delta'), into)
      }
      const item: McpCallItem = {
        id: unused(prefixed('mcp_', id)),
        type: 'mcp_call',
        status: 'in_progress',
        approval_request_id: approvalRequest ?? null,
        arguments: '',
        error: null,
        name,
        output: null,
        server_label: serverLabel,
      }
      const begun = begin(item, argumentPieces(counter, 'response.mcp_call_arguments.delta'), into)
      into.push({ type: 'response.mcp_call.in_progress', sequence_number: count(), ...placeOf(begun) })
      return begun
    },

    endArguments(call, args, into) {
      const type =
        call.kind === 'mcp_call' ? 'response.mcp_call_arguments.done' : 'response.function_call_arguments.done'
      into.push({ type, sequence_number: count(), ...placeOf(call), arguments: args })
      call.told = true
      if (call.item.type === 'function_call' || call.item.type === 'mcp_call')
        call.item = { ...call.item, arguments: args }
    },

    handOver(call, into) {
      if (call.item.type === 'function_call') end(call, { ...call.item, status: 'completed' }, into)
    },

    endCall(call, { output, error }, into) {
      const failed = error !== null
      const item = mcpItem(call, {
        status: failed ? 'failed' : 'completed',
        error: failed ? { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: error }] } : null,
        output,
      })
      if (!item) return
      const type = failed ? 'response.mcp_call.failed' : 'response.mcp_call.completed'
      into.push({ type, sequence_number: count(), ...placeOf(call) })
      end(call, item, into)
    },

    question({ id, name, args }, into) {
      const item: OutputItem = {
        id: unused(prefixed('mcpr_', id)),
        type: 'mcp_approval_request',
        arguments: args,
        name,
        server_label: serverLabel,
      }
      const begun = begin(item, argumentPieces(counter, 'response.mcp_call_arguments.delta'), into)
      end(begun, item, into)
      return begun
    },
  }
}

/** Ids of other servers have their prefix already. */
export const prefixed = (prefix: string, id: string): string => (id.startsWith(prefix) ? id : prefix + id)

/** Of an agent that says nothing else. */
export const labelOf = ({ agentId }: RunContext): string => agentId ?? 'agent'
