/** What a decoder makes of events, and what that means. */
import { type Commit, type Delta, type Fact, type Message, type Standing, fold, isCommit } from '@factwire/core'
import { decoder, type DecoderOptions } from '../src/index.ts'
import type { AgUiEvent } from '../src/wire.ts'

export interface Decoded {
  readonly commits: readonly Commit[]
  readonly deltas: readonly Delta[]
  readonly facts: readonly Fact[]
  readonly messages: readonly Message[]
  readonly end: Fact | undefined
  /** Reasons of events that said nothing. */
  readonly ignored: readonly string[]
}

export function decoded(events: readonly AgUiEvent[], options: DecoderOptions = {}): Decoded {
  const ignored: string[] = []
  const reading = decoder({ ...options, onIgnored: (reason, { type }) => ignored.push(`${type}: ${reason}`) })
  const items = [...events.flatMap((event) => reading.push(event)), ...reading.end()]
  const commits = items.filter(isCommit)
  let standing: Standing = { openCalls: [] }
  const facts: Fact[] = []
  for (const commit of commits) {
    // Another run begins from nothing.
    if (standing.state?.type === 'ended') standing = { openCalls: [] }
    const folded = fold(commit, standing, { reasoning: 'text' })
    facts.push(...folded.facts)
    standing = folded.after
  }
  return {
    commits,
    deltas: items.filter((item): item is Delta => !isCommit(item)),
    facts,
    messages: commits.flatMap((commit) => commit.messages),
    end: facts.at(-1),
    ignored,
  }
}

/** A message in few words: its id and role, then its blocks. */
export function brief({ id, role, content }: Message): string {
  const blocks = content.map((block): string => {
    switch (block.type) {
      case 'text':
        return JSON.stringify(block.text)
      case 'thinking':
        return `thinking ${JSON.stringify(block.text)}`
      case 'tool_use':
        return `${block.id} ${block.name}(${block.raw_input ?? JSON.stringify(block.input)})`
      case 'tool_result':
        return `${block.tool_use_id}${block.is_error ? ' failed' : ''} ${JSON.stringify(block.content.map((part) => ('text' in part ? part.text : part.type)))}`
      default:
        return block.type
    }
  })
  return [`${id} ${role}:`, ...blocks].join(' ')
}

// ── Events in few words ──

export const started: AgUiEvent = { type: 'RUN_STARTED', threadId: 'th', runId: 'ru' }
export const finished: AgUiEvent = { type: 'RUN_FINISHED', threadId: 'th', runId: 'ru' }

export const open = (messageId: string): AgUiEvent => ({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' })
export const say = (messageId: string, delta: string): AgUiEvent => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta })
export const close = (messageId: string): AgUiEvent => ({ type: 'TEXT_MESSAGE_END', messageId })
export const text = (messageId: string, delta: string): readonly AgUiEvent[] => [
  open(messageId),
  say(messageId, delta),
  close(messageId),
]

export const openCall = (toolCallId: string, parentMessageId?: string, toolCallName = 'search'): AgUiEvent => ({
  type: 'TOOL_CALL_START',
  toolCallId,
  toolCallName,
  ...(parentMessageId === undefined ? {} : { parentMessageId }),
})
export const args = (toolCallId: string, delta: string): AgUiEvent => ({ type: 'TOOL_CALL_ARGS', toolCallId, delta })
export const closeCall = (toolCallId: string): AgUiEvent => ({ type: 'TOOL_CALL_END', toolCallId })
export const call = (toolCallId: string, parentMessageId?: string, input = '{}'): readonly AgUiEvent[] => [
  openCall(toolCallId, parentMessageId),
  args(toolCallId, input),
  closeCall(toolCallId),
]
export const result = (toolCallId: string, content = 'ok', messageId = `t-${toolCallId}`): AgUiEvent => ({
  type: 'TOOL_CALL_RESULT',
  messageId,
  toolCallId,
  content,
})
export const think = (messageId: string, delta: string): readonly AgUiEvent[] => [
  { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  { type: 'REASONING_MESSAGE_CONTENT', messageId, delta },
  { type: 'REASONING_MESSAGE_END', messageId },
]
export const step = (stepName: string): AgUiEvent => ({ type: 'STEP_STARTED', stepName })
export const endStep = (stepName: string): AgUiEvent => ({ type: 'STEP_FINISHED', stepName })
