/**
 * The messages of a snapshot as the history before a run: messages of others, and turns whose calls have their results.
 */
import { type ContentBlock, type ToolResultBlock, textOf } from '@factwire/core'
import { given } from './given.ts'
import { contentBlockOf, flatMessages } from './parse-messages.ts'
import type { CallResult } from './result.ts'
import { addCallTo, isBlank, newTurn, setArguments, settle, type WrittenCall, type WrittenTurn } from './transcript.ts'
import type { ViewMessage } from './view.ts'
import type { FlatMessage } from './wire.ts'

/** A call as a snapshot has it, in either spelling. */
export interface StoredCall {
  readonly id: string
  readonly name: string
  readonly input: ToolResultBlock['data']
}

export interface StoredResult extends CallResult {
  readonly id: string
}

export function historyOf(messages: readonly unknown[]): readonly (ViewMessage | WrittenTurn)[] {
  const entries: (ViewMessage | WrittenTurn)[] = []
  const calls = new Map<string, WrittenCall>()

  for (const message of flatMessages(messages)) {
    if (message.visibility === 'internal') continue
    if (message.role === 'assistant') {
      const turn = turnOf(message)
      for (const call of turn.calls) calls.set(call.id, call)
      if (!isBlank(turn)) entries.push(turn)
    } else {
      const content = message.content.map(contentBlockOf).filter((block) => block.type !== 'tool_result')
      if (message.role !== 'tool' && content.length > 0) {
        entries.push({ role: message.role, id: message.id ?? '', text: textOf(content), content })
      }
    }
    for (const result of resultsOf(message)) {
      let call = calls.get(result.id)
      if (!call) {
        // Whose call is missing is shown all the same.
        const turn = newTurn('')
        call = addCallTo(turn, result.id, '')
        entries.push(turn)
      }
      settle(call, result)
    }
  }
  return entries
}

function turnOf(message: FlatMessage): WrittenTurn {
  const turn = newTurn(message.id ?? '')
  for (const block of message.content) {
    if (block.type === 'text') turn.text += block.text
    else if (block.type === 'thinking') turn.reasoning += block.thinking
  }
  for (const { id, name, input } of callsOf(message)) setArguments(addCallTo(turn, id, name), input ?? null)
  return turn
}

/** A call that stands in the content and in `tool_calls` is one. */
export function callsOf(message: FlatMessage): readonly StoredCall[] {
  const calls = new Map<string, StoredCall>()
  for (const { id, name, arguments: input } of message.tool_calls ?? []) calls.set(id, { id, name, input })
  for (const block of message.content) {
    if (block.type === 'tool_use') calls.set(block.id, { id: block.id, name: block.name, input: block.input })
  }
  return [...calls.values()]
}

/** The results that a message holds: blocks in any message, or the whole of one that names its call. */
export function resultsOf(message: FlatMessage): readonly StoredResult[] {
  const blocks = message.content.filter((block) => block.type === 'tool_result')
  if (blocks.length > 0) return blocks.map((block) => storedResult(block.tool_use_id, block.content, block))
  if (message.role !== 'tool' || message.tool_call_id === undefined) return []
  return [storedResult(message.tool_call_id, message.content.map(contentBlockOf), message)]
}

type Marks = Pick<FlatMessage, 'is_error' | 'data' | 'denied' | 'cancelled'>

function storedResult(id: string, content: readonly ContentBlock[], marks: Marks): StoredResult {
  return {
    id,
    content,
    isError: marks.is_error === true,
    ...given('data', marks.data),
    ...given('denied', marks.denied ? (true as const) : undefined),
    ...given('cancelled', marks.cancelled ? (true as const) : undefined),
  }
}
