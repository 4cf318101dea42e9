/** The committed thread as UI messages: what a client that read the streams has, but for what it alone was told. */
import {
  type Committed,
  distinctCalls,
  type Message,
  none,
  type NamedCall,
  type Pending,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
} from '@factwire/core'
import { isUnreadable } from './calls.ts'
import { fileOf } from './files.ts'
import { factwire, outcomeOf } from './output.ts'
import { thoughtId } from './part-names.ts'
import { thoughtAt } from './stored.ts'
import { answerId, isShown } from './turn.ts'
import type { ToolPart, UiMessage, UiPart } from './ui-message.ts'
import type { Target } from './wire.ts'

export interface HistoryOptions {
  /** As the transcoder's: parts differ. Default `v6`. */
  readonly target?: Target
  /** Whether thoughts are among the parts. Default true, as the transcoder shows them. */
  readonly reasoning?: boolean
}

type Thread = Pick<Committed, 'messages'> & Partial<Pick<Committed, 'standing' | 'pending'>>

export function history(
  committed: Thread,
  { target = 'v6', reasoning = true }: HistoryOptions = {},
): readonly UiMessage[] {
  const { pending = [], standing = { openCalls: [] } } = committed
  const { messages, open } = distinctCalls({ messages: committed.messages, standing })
  const results = new Map(messages.flatMap(resultsIn).map((result) => [result.tool_use_id, result]))
  const asked = new Map(open.map(({ id, wireId }) => [wireId, pending.find(({ tool_use_id }) => tool_use_id === id)]))
  const runs = standing.state?.type === 'running'
  const shaped: UiMessage[] = []
  let answer: { at: number; readonly id: string; readonly parts: UiPart[]; steps: number } | undefined
  let user: string | undefined

  for (const message of messages) {
    const { id, role, content } = message
    if (role === 'tool') continue
    if (role !== 'assistant') {
      const parts = role === 'user' ? userParts(message) : textParts(textOf(content))
      if (role === 'user') {
        user = id
        answer = undefined
      }
      // What the system says in the middle of an answer stands before it: one answer is one message.
      if (parts.length > 0) shaped.splice(answer ? answer.at++ : shaped.length, 0, { id, role, parts })
      continue
    }
    if (!isShown(message, reasoning)) continue
    if (!answer) {
      answer = { at: shaped.length, id: answerId(user), parts: [], steps: 0 }
      shaped.push({ id: answer.id, role, parts: answer.parts })
    }
    answer.parts.push(
      { type: 'step-start' },
      ...stepParts(message, answer.steps++, { target, reasoning, results, asked, runs }),
    )
  }
  return withPending(shaped, pending, open)
}

const resultsIn = ({ content }: Message): readonly ToolResultBlock[] =>
  content.filter((block) => block.type === 'tool_result')

const textParts = (text: string): readonly UiPart[] => (text === '' ? none : [{ type: 'text', text }])

function userParts({ content }: Message): readonly UiPart[] {
  return content.flatMap((block): readonly UiPart[] => {
    switch (block.type) {
      case 'text':
        return textParts(block.text)
      case 'image':
      case 'document':
        return [fileOf(block)]
      case 'search_result':
        return textParts([block.title, block.source, textOf(block.content)].filter((line) => line !== '').join('\n'))
      default:
        return none
    }
  })
}

interface StepOptions {
  readonly target: Target
  readonly reasoning: boolean
  /** By the ids of the calls that they are of. */
  readonly results: ReadonlyMap<string, ToolResultBlock>
  /** Whom calls without a result wait for. */
  readonly asked: ReadonlyMap<string, Pending | undefined>
  /** The run goes on: it does not wait for anybody yet. */
  readonly runs: boolean
}

/** As `storedFrames` tells it. */
function stepParts({ content }: Message, step: number, options: StepOptions): readonly UiPart[] {
  const text = textOf(content.filter(({ type }) => type === 'text'))
  let spoken = text === ''
  let thoughts = 0
  return content.flatMap((block, index): readonly UiPart[] => {
    switch (block.type) {
      case 'thinking': {
        const thought = thoughtAt(content, index)
        if (!options.reasoning || thought === '') return none
        thoughts++
        return [{ type: 'reasoning', id: thoughtId(step, thoughts), text: thought, state: 'done' }]
      }
      case 'text': {
        if (spoken || block.text === '') return none
        spoken = true
        return [{ type: 'text', text, state: 'done' }]
      }
      case 'tool_use':
        return [toolPart(block, options)]
      default:
        return none
    }
  })
}

function toolPart(call: ToolUseBlock, { target, results, asked, runs }: StepOptions): ToolPart {
  const { id: toolCallId, name, input } = call
  const unreadable = isUnreadable(call)
  const raw = call.raw_input ?? null
  const part = {
    type: `tool-${name}`,
    toolCallId,
    ...(unreadable ? (target === 'v7' ? { input: raw } : { rawInput: raw }) : { input }),
  } as const
  const result = results.get(toolCallId)
  if (result) return { ...part, providerExecuted: true, ...answered(toolCallId, result, target) }
  if (unreadable)
    return { ...part, providerExecuted: true, state: 'output-error', errorText: 'The arguments are no JSON.' }
  const waits = asked.get(toolCallId)?.kind
  if (waits === undefined) return { ...part, state: 'input-available', providerExecuted: true }
  // Told whole, it would be answered.
  if (waits === 'client' || target === 'v5') return { ...part, state: runs ? 'input-streaming' : 'input-available' }
  return { ...part, state: 'approval-requested', providerExecuted: true, approval: { id: toolCallId } }
}

function answered(
  id: string,
  result: ToolResultBlock,
  target: Target,
): Pick<ToolPart, 'state' | 'output' | 'errorText' | 'resultProviderMetadata' | 'approval'> {
  const outcome = outcomeOf(result, target)
  switch (outcome.type) {
    case 'output':
      return { state: 'output-available', output: outcome.output, ...beside(outcome.metadata) }
    case 'error':
      return { state: 'output-error', errorText: outcome.errorText, ...beside(outcome.metadata) }
    case 'denied': {
      const why = outcome.reason === undefined || target !== 'v7' ? {} : { reason: outcome.reason }
      return { state: 'output-denied', approval: { id, approved: false, ...why } }
    }
  }
}

function beside(metadata: Parameters<typeof factwire>[0]): Pick<ToolPart, 'resultProviderMetadata'> {
  const { providerMetadata } = factwire(metadata)
  return providerMetadata ? { resultProviderMetadata: providerMetadata } : {}
}

/** A client that waits knows for whom, as the end of the stream told it. */
function withPending(
  shaped: readonly UiMessage[],
  pending: readonly Pending[],
  open: readonly NamedCall[],
): readonly UiMessage[] {
  const last = shaped.at(-1)
  if (pending.length === 0 || last?.role !== 'assistant') return shaped
  const named = pending.map((entry) => ({
    ...entry,
    tool_use_id: open.find(({ id }) => id === entry.tool_use_id)?.wireId ?? entry.tool_use_id,
  }))
  return [...shaped.slice(0, -1), { ...last, metadata: { factwire: { end: { type: 'awaiting', pending: named } } } }]
}
