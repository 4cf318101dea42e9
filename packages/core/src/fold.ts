/**
 * The fold: what a commit makes true, as facts. It is the only producer of facts.
 *
 * The same commits give the same facts, however often and wherever they are folded.
 */
import type { ContentBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock } from './content.ts'
import { FactwireError } from './error.ts'
import type { AssistantThinking, Continuation, Disposition, Fact, ToolCallFact, ToolResultFact } from './event.ts'
import { endFact } from './end-fact.ts'
import { hasText, resultsOf } from './fold-history.ts'
import { openSteps } from './open-steps.ts'
import type { Pending } from './run.ts'
import { type Commit, type Message, type OpenCall, type Standing, callsOf } from './thread.ts'

export interface FoldOptions {
  /** Fill the optional fields and the facts of the older page. Default true; false gives the first version's bytes. */
  readonly additions?: boolean
  /** Whether `assistant_thinking` carries what was thought. Default `none`: a marker. */
  readonly reasoning?: 'none' | 'text'
}

export interface Folded {
  readonly facts: readonly Fact[]
  readonly after: Standing
}

/**
 * Folds one commit onto where the thread stood before it.
 *
 * @throws FactwireError `run_ended` when the run had ended already.
 */
export function fold(commit: Commit, before: Standing, options: FoldOptions = {}): Folded {
  if (before.state?.type === 'ended') throw new FactwireError('run_ended', 'a commit came after the end of the run')
  const additions = options.additions ?? true
  const pending = commit.pending ?? []
  const facts: Fact[] = []
  const open = openSteps(before.openCalls)
  let inference = commit.inference

  const reportInference = (): void => {
    if (inference && additions) facts.push({ type: 'inference_completed', ...inference })
    inference = undefined
  }
  const endSteps = (): void => {
    const ended = open.ended()
    if (additions) for (const message_id of ended) facts.push({ type: 'step_ended', message_id })
  }

  if (before.state?.type !== 'running') facts.push({ type: 'run_started' })
  const goingOn = continuationOf(commit, before, additions)
  // It stands where the first of its messages does.
  if (goingOn && !goingOn.messages) facts.push(goingOn)

  for (const message of commit.messages) {
    if (message === goingOn?.messages?.[0]) facts.push(goingOn)
    if (message.role === 'assistant') {
      endSteps()
      facts.push(...assistantFacts(message, pending, { ...options, additions }))
      open.begin(message.id, callsOf(message))
    } else if (message.role === 'tool') {
      reportInference()
      for (const result of resultsOf(message)) {
        facts.push(resultFact(result, message.id, open.answer(result.tool_use_id), additions))
      }
    }
  }
  reportInference()
  if (additions) {
    if (commit.snapshot !== undefined) {
      const { snapshot, revision } = commit
      facts.push({ type: 'state_snapshot', snapshot, ...(revision === undefined ? {} : { revision }) })
    }
    for (const activity of commit.activities ?? []) facts.push({ type: 'activity_snapshot', ...activity })
  }
  endSteps()

  const end = endFact(commit, additions)
  if (end) facts.push(end)
  return { facts, after: { state: commit.state, openCalls: open.calls() } }
}

/**
 * What was said to a run that goes on comes with its continuation: no other fact tells of it, and who gives the thread again must not
 * leave it out. What a run begins with is its history.
 */
function continuationOf(
  { continuation, messages }: Commit,
  { state }: Standing,
  additions: boolean,
): Continuation | undefined {
  if (!continuation) return undefined
  const said = additions && state?.type === 'running' ? messages.filter(isSaid) : []
  return { type: 'continuation', ...continuation, ...(said.length > 0 ? { messages: said } : {}) }
}

const isSaid = ({ role }: Message): boolean => role === 'user' || role === 'system'

/** Thinking, then text, then calls; each only if the message has it. */
function assistantFacts(message: Message, pending: readonly Pending[], options: FoldOptions): Fact[] {
  const facts: Fact[] = []
  const thoughts = message.content.filter((block) => block.type === 'thinking')
  if (thoughts.length > 0) facts.push(thinkingFact(thoughts, message.id, options))
  if (hasText(message)) {
    facts.push({
      type: 'assistant_message',
      id: message.id,
      content: message.content.filter((block) => block.type === 'text'),
    })
  }
  for (const call of message.content) {
    if (call.type === 'tool_use') facts.push(callFact(call, message.id, pending, options.additions ?? true))
  }
  return facts
}

function thinkingFact(
  thoughts: readonly ThinkingBlock[],
  messageId: string,
  { additions, reasoning }: FoldOptions,
): AssistantThinking {
  if (!additions) return { type: 'assistant_thinking' }
  if (reasoning !== 'text') return { type: 'assistant_thinking', message_id: messageId }
  const signature = thoughts.findLast((block) => block.signature !== undefined)?.signature
  const encrypted = thoughts.findLast((block) => block.encrypted !== undefined)?.encrypted
  return {
    type: 'assistant_thinking',
    message_id: messageId,
    text: thoughts.map((block) => block.text).join(''),
    ...(signature === undefined ? {} : { signature }),
    ...(encrypted === undefined ? {} : { encrypted }),
  }
}

function callFact(
  call: ToolUseBlock,
  messageId: string,
  pending: readonly Pending[],
  additions: boolean,
): ToolCallFact {
  return {
    type: 'tool_call',
    id: call.id,
    name: call.name,
    input: call.input,
    disposition: dispositionOf(call.id, pending),
    ...(additions ? { message_id: messageId } : {}),
    ...(additions && call.raw_input !== undefined ? { raw_input: call.raw_input } : {}),
  }
}

function dispositionOf(callId: string, pending: readonly Pending[]): Disposition {
  const entry = pending.find((candidate) => candidate.tool_use_id === callId)
  if (!entry) return 'executed'
  return entry.kind === 'client' ? 'pending_client' : 'pending_builtin'
}

function resultFact(
  result: ToolResultBlock,
  messageId: string,
  call: OpenCall | undefined,
  additions: boolean,
): ToolResultFact {
  const { tool_use_id: id, content, is_error } = result
  if (!additions) return { type: 'tool_result', id, content: content.map(firstVersion), is_error }
  return {
    type: 'tool_result',
    id,
    content,
    is_error,
    message_id: messageId,
    ...(call ? { name: call.name } : {}),
    ...(result.data === undefined ? {} : { data: result.data }),
    ...(result.denied === undefined ? {} : { denied: result.denied }),
    ...(result.cancelled === undefined ? {} : { cancelled: result.cancelled }),
  }
}

/** A block without what was added to it, at any depth. */
function firstVersion(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case 'tool_use': {
      const { type, id, name, input } = block
      return { type, id, name, input }
    }
    case 'tool_result': {
      const { type, tool_use_id, content, is_error } = block
      return { type, tool_use_id, content: content.map(firstVersion), is_error }
    }
    case 'thinking': {
      const { type, text, signature } = block
      return { type, text, ...(signature === undefined ? {} : { signature }) }
    }
    default:
      return block
  }
}
