/** Results, pending calls and endings of a run, in the shapes of the older page. */
import {
  type Awaiting,
  type ContentBlock,
  type EndCause,
  type Json,
  type Message,
  type Pending,
  type RunFailed,
  type RunFinished,
  type StoppedReason,
  type SuspendTicket,
  type TerminationReason,
  type ToolResult,
  type ToolResultFact,
  isObject,
  hasText,
  textOf,
} from '@factwire/core'
import { match } from 'ts-pattern'

/** What a tool gave. Content that is more than text rides in `metadata.content`. */
export function toolResult(fact: ToolResultFact, toolName: string): ToolResult {
  const said = textOf(fact.content)
  const metadata = metadataOf(fact)
  // Nothing is neither an empty text nor a value.
  const data = fact.data ?? (fact.is_error || fact.content.length === 0 ? null : said)
  // A reader shows the message, or else the data: as it is where it is a string, as JSON where it is not.
  const spoken = !fact.is_error && (data === said || said === JSON.stringify(data) || fact.content.length === 0)
  return {
    tool_name: fact.name ?? toolName,
    status: fact.is_error ? 'error' : 'success',
    data,
    message: spoken ? null : said,
    ...(metadata ? { metadata } : {}),
  }
}

/** What a call of an earlier segment gave, now that the run goes on. */
export function resumedResult(fact: ToolResultFact): Json {
  const said = textOf(fact.content)
  const metadata = metadataOf(fact)
  const beside = { ...(fact.data === undefined ? {} : { data: fact.data }), ...(metadata ? { metadata } : {}) }
  if (fact.denied) return { approved: false, ...(said === '' ? {} : { reason: said }), ...beside }
  if (fact.is_error) return { error: said, ...beside }
  const data = fact.data ?? (fact.content.length === 0 ? null : said)
  const spoken = data === said || said === JSON.stringify(data) || data === null
  if (spoken && !metadata && !looksLikeRefusal(data)) return data
  return { data, metadata: { ...metadata, ...(spoken ? {} : { content: blocks(fact) }) } }
}

/** A value that a reader would take for a refusal, or for the wrapping of one, goes out wrapped. */
function looksLikeRefusal(data: Json): boolean {
  if (!isObject(data)) return false
  return typeof data['error'] === 'string' || data['approved'] === false || ('data' in data && 'metadata' in data)
}

function metadataOf({ content, denied, cancelled, is_error, data }: ToolResultFact): ToolResult['metadata'] {
  // No content at all has to be said where a reader would take the value, or an empty message, for it.
  const nothing = content.length === 0 && (is_error || (data !== undefined && data !== null))
  const rich = nothing || content.some((block) => block.type !== 'text')
  if (!rich && !denied && !cancelled) return undefined
  return {
    ...(denied ? { rejected: true } : {}),
    ...(cancelled ? { cancelled: true } : {}),
    ...(rich ? { content: blocks({ content }) } : {}),
  }
}

/** Blocks are JSON; only the compiler cannot see it, because an interface has no index signature. */
function blocks({ content }: Pick<ToolResultFact, 'content'>): Json {
  return content as readonly ContentBlock[] & Json
}

/** A call that was closed because its run ended first. */
export function unfinishedResult(toolName: string, message: string, cancelled: boolean): ToolResult {
  return {
    tool_name: toolName,
    status: 'error',
    data: null,
    message,
    ...(cancelled ? { metadata: { cancelled: true } } : {}),
  }
}

/** A call that waits for somebody, with the ticket that says for whom. */
export function pendingResult(pending: Pending, toolName: string, input: Json): ToolResult {
  return {
    tool_name: toolName,
    status: 'pending',
    data: null,
    message: null,
    suspension: ticket(pending, toolName, input),
  }
}

function ticket(pending: Pending, toolName: string, input: Json): SuspendTicket {
  const { tool_use_id, kind, approval_id, message, parameters, response_schema } = pending
  const id = approval_id ?? tool_use_id
  return {
    suspension: {
      id,
      action: kind === 'approval' ? 'tool:PermissionConfirm' : `tool:${toolName}`,
      ...(message ? { message } : {}),
      ...(parameters === undefined || parameters === null ? {} : { parameters }),
      ...(response_schema === undefined ? {} : { response_schema }),
    },
    // Whom it waits for is shown as a call: of the client's tool, or of one by which somebody approves.
    pending:
      kind === 'approval'
        ? { id, name: 'permission_confirm', arguments: parameters ?? input }
        : { id: tool_use_id, name: toolName, arguments: input },
    resume_mode: kind === 'approval' ? 'replay_tool_call' : 'use_decision_as_tool_result',
  }
}

export function termination(fact: RunFinished | RunFailed | Awaiting): TerminationReason {
  return match(fact)
    .returnType<TerminationReason>()
    .with({ type: 'awaiting' }, () => ({ type: 'suspended' }))
    .with({ type: 'run_failed' }, ({ message }) => ({ type: 'error', value: message }))
    .with({ type: 'run_finished' }, (end) => finished(end.cause ?? causeOf(end.exhausted)))
    .exhaustive()
}

const causeOf = (usedUp: boolean): EndCause => (usedUp ? { type: 'max_steps' } : { type: 'natural_end' })

function finished(cause: EndCause): TerminationReason {
  return match(cause)
    .returnType<TerminationReason>()
    .with({ type: 'natural_end' }, { type: 'behavior_requested' }, { type: 'cancelled' }, ({ type }) => ({ type }))
    .with({ type: 'max_steps' }, ({ code }) => ({ type: 'stopped', value: exhausted(code) }))
    .with({ type: 'stopped' }, ({ code, detail }) => ({
      type: 'stopped',
      value: { code, ...(detail === undefined ? {} : { detail }) },
    }))
    .with({ type: 'blocked' }, ({ reason }) => ({ type: 'blocked', value: reason }))
    .with({ type: 'error' }, ({ failure }) => ({ type: 'error', value: failure.message ?? failure.code }))
    .with({ type: 'indeterminate' }, () => ({ type: 'error', value: 'indeterminate' }))
    .exhaustive()
}

/** A model's longest answer has a word of its own; any other code stands beside the wire's. */
function exhausted(code: string | undefined): StoppedReason {
  if (code === 'length') return { code }
  return { code: 'max_rounds', ...(code === undefined ? {} : { detail: code }) }
}

/** The last text that an assistant said in a thread, but for what stood there before the segment. */
export function lastText(thread: readonly Message[], before: readonly Message[] = []): string {
  const known = new Set(before.map(({ id }) => id))
  const said = thread.findLast((message) => message.role === 'assistant' && !known.has(message.id) && hasText(message))
  return said ? textOf(said.content) : ''
}

/** `result` of the frame that ends a run: the last answer, and why it was the last. */
export function runResult(fact: RunFinished | RunFailed, response: string): Json {
  const reason = termination(fact)
  return {
    response,
    status: 'done',
    status_reason: statusReason(reason),
    ...(fact.type === 'run_failed' ? { code: fact.code } : {}),
    ...(fact.type === 'run_finished' && fact.result !== undefined ? { output: fact.result } : {}),
  }
}

function statusReason(reason: TerminationReason): string {
  return match(reason)
    .returnType<string>()
    .with({ type: 'natural_end' }, () => 'natural')
    .with({ type: 'stopped' }, ({ value }) => `stopped:${value.code}`)
    .with({ type: 'blocked' }, ({ value }) => `blocked:${value}`)
    .with(
      { type: 'behavior_requested' },
      { type: 'cancelled' },
      { type: 'suspended' },
      { type: 'error' },
      ({ type }) => type,
    )
    .exhaustive()
}
