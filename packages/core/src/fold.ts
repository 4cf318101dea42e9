/**
 * The fold: what a commit makes true, as facts. It is the only producer of facts.
 *
 * The same commits give the same facts, however often and wherever they are folded.
 */
import { match } from 'ts-pattern'
import type { ContentBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock } from './content.ts'
import { FactwireError } from './error.ts'
import type { AssistantThinking, Continuation, Disposition, Fact, ToolCallFact, ToolResultFact } from './event.ts'
import { callsOf, hasText, resultsOf } from './fold-history.ts'
import type { EndCause, Failure, Pending, RunState } from './run.ts'
import type { Commit, Message, OpenCall, Standing } from './thread.ts'

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
  let openCalls: readonly OpenCall[] = before.openCalls
  /** Messages whose step has not ended: those with open calls, and the one that was just told. */
  const openSteps = new Set(openCalls.map((call) => call.message_id))
  let inference = commit.inference

  const reportInference = (): void => {
    if (inference && additions) facts.push({ type: 'inference_completed', ...inference })
    inference = undefined
  }
  const endSteps = (): void => {
    const waiting = new Set(openCalls.map((call) => call.message_id))
    for (const message_id of openSteps) {
      if (waiting.has(message_id)) continue
      if (additions) facts.push({ type: 'step_ended', message_id })
      openSteps.delete(message_id)
    }
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
      openCalls = [...openCalls, ...callsOf(message)]
      openSteps.add(message.id)
    } else if (message.role === 'tool') {
      reportInference()
      for (const result of resultsOf(message)) {
        const call = openCalls.find(({ id }) => id === result.tool_use_id)
        facts.push(resultFact(result, message.id, call, additions))
        if (call) openCalls = openCalls.filter((other) => other !== call)
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
  return { facts, after: { state: commit.state, openCalls } }
}

/**
 * What is said to a run that goes on is a continuation, also where the commit does not call it one: no other fact tells of it, and who
 * gives the thread again must not leave it out. What a run begins with is its history.
 */
function continuationOf(
  { continuation, messages }: Commit,
  { state }: Standing,
  additions: boolean,
): Continuation | undefined {
  const said = messages.filter(({ role }) => role === 'user' || role === 'system')
  if (!additions || state?.type !== 'running' || said.length === 0) {
    return continuation && { type: 'continuation', ...continuation }
  }
  const { steered, detail } = continuation ?? { steered: said.some(({ role }) => role === 'user'), detail: null }
  return { type: 'continuation', steered, detail, messages: said }
}

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

function endFact({ state, pending, result }: Commit, additions: boolean): Fact | undefined {
  return match(state)
    .returnType<Fact | undefined>()
    .with({ type: 'running' }, () => undefined)
    .with({ type: 'awaiting' }, () => ({
      type: 'awaiting' as const,
      pending_tool_use_id: pending?.[0]?.tool_use_id ?? null,
      ...(additions && pending ? { pending } : {}),
    }))
    .with({ type: 'ended' }, ({ cause }) => endedFact(cause, result, additions))
    .exhaustive()
}

/** Every cause by its name: one that nobody thought of must not become a success. */
function endedFact(cause: EndCause, result: Commit['result'], additions: boolean): Fact {
  const finished = (exhausted: boolean): Fact => ({
    type: 'run_finished',
    exhausted,
    ...(additions ? { cause } : {}),
    ...(additions && result !== undefined ? { result } : {}),
  })
  return match(cause)
    .returnType<Fact>()
    .with({ type: 'natural_end' }, { type: 'behavior_requested' }, () => finished(false))
    .with({ type: 'stopped' }, { type: 'cancelled' }, { type: 'blocked' }, () => finished(false))
    .with({ type: 'max_steps' }, () => finished(true))
    .with({ type: 'error' }, ({ failure }) => failedFact(failure))
    .with({ type: 'indeterminate' }, () => failedFact({ code: 'indeterminate' }))
    .exhaustive()
}

const SENTENCES = new Map([
  ['capability_bound', 'the run needs a capability that it was not given'],
  ['state_conflict', 'the state of the run changed under it'],
  ['indeterminate', 'it is not known how the run ended'],
])

function failedFact({ code, message }: Failure): Fact {
  return { type: 'run_failed', code, message: message ?? SENTENCES.get(code) ?? 'the run failed' }
}

// ── The end of a run ──

/**
 * The last commit of a run: every call that is still open gets an error result that says why, so that the thread can be used
 * again. `partial` is the message that was being written when the run ended.
 */
export function endRun(standing: Standing, cause: EndCause, partial?: Message): Commit {
  const state: RunState = { type: 'ended', cause }
  const open = partial ? [...standing.openCalls, ...callsOf(partial)] : standing.openCalls
  const results = open.map((call) => unfinishedResult(call, cause))
  return { messages: partial ? [partial, ...results] : results, state }
}

function unfinishedResult(call: OpenCall, cause: EndCause): Message {
  return {
    id: `tool-${call.id}`,
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        tool_use_id: call.id,
        content: [{ type: 'text', text: `No result: ${reasonOf(cause)}.` }],
        is_error: true,
        ...(cause.type === 'cancelled' ? { cancelled: true } : {}),
      },
    ],
  }
}

function reasonOf(cause: EndCause): string {
  return match(cause)
    .returnType<string>()
    .with({ type: 'natural_end' }, { type: 'behavior_requested' }, () => 'the run ended first')
    .with({ type: 'max_steps' }, () => 'the run had used up its steps')
    .with({ type: 'stopped' }, ({ code, detail }) => `the run was stopped (${detail ?? code})`)
    .with({ type: 'cancelled' }, () => 'the run was cancelled')
    .with({ type: 'blocked' }, ({ reason }) => `the run was blocked (${reason})`)
    .with({ type: 'error' }, ({ failure }) => `the run failed (${failure.message ?? failure.code})`)
    .with({ type: 'indeterminate' }, () => 'it is not known how the run ended')
    .exhaustive()
}
