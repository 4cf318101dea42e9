/**
 * The body of a request in, what a run is to do with it out.
 *
 * A client sends the whole history back each time, and it may be stale, doubled or made up: what the server knows it takes from
 * nobody, and an answer counts only for what is still open, and once.
 */
import {
  type ClientTool,
  type Decision,
  decision,
  type Json,
  ofProtocol,
  type Pending,
  type RequestOptions,
  type RunRequest,
  type Said,
  saidIn,
} from '@factwire/core'
import { input } from './read-input.ts'
import { resultOf, storedMessages } from './stored.ts'
import type { AgUiMessage, ToolMessage } from './wire-message.ts'
import type { ContextItem, ResumeEntry, RunAgentInput } from './wire-run.ts'

/** What a request of this wire says beyond what any does. */
export interface AgUiRequest extends RunRequest {
  readonly threadId: string
  readonly runId: string
  readonly context: readonly ContextItem[]
  readonly forwardedProps?: Json
}

const readBody = ofProtocol('ag-ui', input)

/** @throws FactwireError `invalid_value` when the body is no `RunAgentInput` of any version. */
export function request(body: unknown, options: RequestOptions = {}): AgUiRequest {
  const {
    threadId,
    runId,
    parentRunId,
    state,
    messages,
    tools = [],
    context = [],
    forwardedProps,
    resume = [],
  } = readBody(body, '')
  return {
    threadId,
    runId,
    ...(parentRunId === undefined ? {} : { parentRunId }),
    stream: true,
    messages: storedMessages(
      options.known ? unknownMessages(messages, options.known, options.open) : consistent(messages),
    ),
    decisions: decisionsOf(messages, resume, options),
    tools: uniqueTools(tools),
    context,
    ...(state === undefined ? {} : { state }),
    ...(forwardedProps === undefined ? {} : { forwardedProps }),
  }
}

/** What the server has no copy of. Calls are its own to make, and results those of calls that the client was to run. */
function unknownMessages(
  messages: readonly AgUiMessage[],
  known: ReadonlySet<string>,
  open: readonly Pending[] = [],
): readonly AgUiMessage[] {
  const awaited = new Set(open.filter(({ kind }) => kind === 'client').map(({ tool_use_id }) => tool_use_id))
  return unique(messages).flatMap((message): readonly AgUiMessage[] => {
    if (known.has(message.id)) return []
    if (message.role === 'tool') return awaited.delete(message.toolCallId) ? [message] : []
    if (message.role !== 'assistant') return [message]
    const { toolCalls: _, ...said } = message
    return said.content ? [said] : []
  })
}

/** The body is all there is: each result once, and only of a call that is in it. */
function consistent(messages: readonly AgUiMessage[]): readonly AgUiMessage[] {
  const unanswered = new Map<string, number>()
  return unique(messages).filter((message) => {
    if (message.role === 'assistant') {
      for (const { id } of message.toolCalls ?? []) unanswered.set(id, (unanswered.get(id) ?? 0) + 1)
    }
    if (message.role !== 'tool') return true
    const left = unanswered.get(message.toolCallId) ?? 0
    unanswered.set(message.toolCallId, left - 1)
    return left > 0
  })
}

function unique(messages: readonly AgUiMessage[]): readonly AgUiMessage[] {
  const met = new Set<string>()
  return messages.filter(({ id }) => !met.has(id) && met.add(id))
}

/** By `resume`, or by a tool message for a call that waits for an approval: the client's word, never the tool's result. */
function decisionsOf(
  messages: readonly AgUiMessage[],
  resume: readonly ResumeEntry[],
  { open, known }: RequestOptions,
): readonly Decision[] {
  if (!open) return firstOfEach(resume.map((entry) => decision({ tool_use_id: entry.interruptId }, saidBy(entry))))
  const answers = messages.filter((message) => message.role === 'tool' && !known?.has(message.id))
  return open.flatMap((pending): readonly Decision[] => {
    const entry = resume.find(({ interruptId }) => interruptId === (pending.approval_id ?? pending.tool_use_id))
    if (entry) return [decision(pending, saidBy(entry))]
    if (pending.kind === 'client') return []
    const answer = answers.find(
      (message): message is ToolMessage => 'toolCallId' in message && message.toolCallId === pending.tool_use_id,
    )
    return answer ? [decision(pending, saidIn(resultOf(answer)))] : []
  })
}

function saidBy({ status, payload }: ResumeEntry): Said {
  return { refused: status === 'cancelled', ...(payload === undefined ? {} : { payload }) }
}

function firstOfEach(decisions: readonly Decision[]): readonly Decision[] {
  const met = new Set<string>()
  return decisions.filter(({ tool_use_id }) => !met.has(tool_use_id) && met.add(tool_use_id))
}

function uniqueTools(tools: NonNullable<RunAgentInput['tools']>): readonly ClientTool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return [...byName.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    ...(parameters === undefined ? {} : { parameters }),
  }))
}
