/**
 * What the fold of this wire must show of a run in the end, read off its commits by hand: from what the reference says of
 * the wire, through no fold of commits, no transcoder and no reducer.
 */
import type { LiveRun } from '@factwire/conformance'
import type {
  Commit,
  ContentBlock,
  EndCause,
  Inference,
  Json,
  Message,
  Pending,
  SuspendTicket,
  TerminationReason,
  ToolResultBlock,
} from '@factwire/core'
import type { Call, CallStatus, Turn, View, ViewActivity, ViewResult } from '../src/view.ts'

export interface TruthOptions {
  /** The segment that the run goes on from, seen by the same client. */
  readonly first?: LiveRun
  /** The facts carry what was thought. */
  readonly reasoning: boolean
}

export function truth(run: LiveRun, { first, reasoning }: TruthOptions): View {
  const own = commitsOf(run)
  const commits = first ? [...commitsOf(first), ...own] : own
  const messages = commits.flatMap((commit) => commit.messages)
  const last = own.at(-1)
  const pending = last?.state.type === 'awaiting' ? (last.pending ?? []) : []
  const results = messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [block] : [])),
  )
  const state = commits.findLast(({ snapshot }) => snapshot !== undefined)?.snapshot
  const { threadId, runId, parentRunId, identity } = run.run
  return {
    run: { threadId, runId, ...(parentRunId === undefined ? {} : { parentRunId }), ...(identity ? { identity } : {}) },
    ...endOf(last, responseOf(own)),
    before: [],
    turns: messages
      .filter(({ role }) => role === 'assistant')
      .map((message) => turnOf(message, results, pending, reasoning))
      .filter(isSeen),
    ...(state === undefined ? {} : { state }),
    activities: activitiesOf(commits),
    inference: commits.flatMap(({ inference }): Inference[] => (inference ? [inference] : [])),
  }
}

const commitsOf = ({ script }: LiveRun): Commit[] => script.flatMap((item) => ('commit' in item ? [item.commit] : []))

const textIn = (content: readonly ContentBlock[]): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')

/** The last text that an assistant said in the segment. */
function responseOf(commits: readonly Commit[]): string {
  const said = commits
    .flatMap(({ messages }) => messages)
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => textIn(content))
  return said.findLast((text) => text !== '') ?? ''
}

// ── Turns ──

const isSeen = ({ text, reasoning, encryptedReasoning, calls }: Turn): boolean =>
  text !== '' || reasoning !== '' || encryptedReasoning !== undefined || calls.length > 0

function turnOf(
  { id, content }: Message,
  results: readonly ToolResultBlock[],
  pending: readonly Pending[],
  reasoning: boolean,
): Turn {
  const thoughts = reasoning ? content.filter((block) => block.type === 'thinking') : []
  const encrypted = thoughts.findLast((block) => block.encrypted !== undefined)?.encrypted
  return {
    role: 'assistant',
    id,
    text: textIn(content),
    reasoning: thoughts.map(({ text }) => text).join(''),
    ...(encrypted === undefined ? {} : { encryptedReasoning: encrypted }),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [callOf(block, results, pending)] : [])),
    open: false,
  }
}

function callOf(
  { id, name, input }: ContentBlock & { readonly type: 'tool_use' },
  results: readonly ToolResultBlock[],
  pending: readonly Pending[],
): Call {
  const result = results.find(({ tool_use_id }) => tool_use_id === id)
  const waiting = pending.find(({ tool_use_id }) => tool_use_id === id)
  const call = { id, name, argumentsText: JSON.stringify(input), arguments: input, output: '' }
  if (result) return { ...call, status: statusOf(result), result: resultOf(result) }
  return waiting
    ? { ...call, status: 'suspended', ticket: ticketOf(waiting, name, input) }
    : { ...call, status: 'ready' }
}

function statusOf({ is_error, denied, cancelled }: ToolResultBlock): CallStatus {
  if (cancelled) return 'cancelled'
  if (denied) return 'denied'
  return is_error ? 'failed' : 'succeeded'
}

/** A value that is nothing, or is the text again, is no value beside it. */
function resultOf({ content, data }: ToolResultBlock): ViewResult {
  const text = textIn(content)
  const media = content.filter(({ type }) => type !== 'text')
  return {
    text,
    ...(media.length > 0 ? { media } : {}),
    ...(data === undefined || data === null || data === text ? {} : { data }),
  }
}

function ticketOf(pending: Pending, name: string, input: Json): SuspendTicket {
  const { tool_use_id, kind, approval_id, message, parameters, response_schema } = pending
  return {
    suspension: {
      id: approval_id ?? tool_use_id,
      action: kind === 'approval' ? 'tool:PermissionConfirm' : `tool:${name}`,
      ...(message === undefined || message === '' ? {} : { message }),
      ...(parameters === undefined || parameters === null ? {} : { parameters }),
      ...(response_schema === undefined ? {} : { response_schema }),
    },
    pending:
      kind === 'approval'
        ? { id: approval_id ?? tool_use_id, name: 'permission_confirm', arguments: parameters ?? input }
        : { id: tool_use_id, name, arguments: input },
    resume_mode: kind === 'approval' ? 'replay_tool_call' : 'use_decision_as_tool_result',
  }
}

// ── Documents ──

function activitiesOf(commits: readonly Commit[]): ViewActivity[] {
  const known = new Map<string, ViewActivity>()
  for (const { message_id, activity_type, content, replace } of commits.flatMap(({ activities = [] }) => activities)) {
    const key = `${message_id} ${activity_type}`
    if (replace !== false || !known.has(key)) known.set(key, { message_id, activity_type, content })
  }
  return [...known.values()]
}

// ── The end ──

type Ending = Pick<View, 'status' | 'termination' | 'result' | 'response' | 'error'>

function endOf(last: Commit | undefined, response: string): Ending {
  if (last?.state.type === 'awaiting') {
    return { status: 'suspended', termination: { type: 'suspended' }, response: '' }
  }
  if (last?.state.type !== 'ended') return { status: 'running', response: '' }
  const { cause } = last.state
  const failure = failureOf(cause)
  if (failure) {
    const { code, message } = failure
    return {
      status: 'failed',
      termination: { type: 'error', value: message },
      result: { response, status: 'done', status_reason: 'error', code },
      response,
      error: { message, code },
    }
  }
  const [termination, status_reason] = reasonOf(cause)
  const output = last.result === undefined ? {} : { output: last.result }
  const result = { response, status: 'done', status_reason, ...output }
  return { status: 'finished', termination, result, response }
}

function failureOf(cause: EndCause): { readonly code: string; readonly message: string } | undefined {
  if (cause.type === 'indeterminate') return { code: 'indeterminate', message: 'it is not known how the run ended' }
  if (cause.type !== 'error') return undefined
  const { code, message = 'the state of the run changed under it' } = cause.failure
  return { code, message }
}

function reasonOf(cause: EndCause): readonly [TerminationReason, string] {
  switch (cause.type) {
    case 'natural_end':
      return [{ type: 'natural_end' }, 'natural']
    case 'max_steps': {
      const { code } = cause
      if (code === 'length') return [{ type: 'stopped', value: { code } }, 'stopped:length']
      const value = { code: 'max_rounds', ...(code === undefined ? {} : { detail: code }) }
      return [{ type: 'stopped', value }, 'stopped:max_rounds']
    }
    case 'stopped': {
      const { type, ...value } = cause
      return [{ type, value }, `stopped:${cause.code}`]
    }
    case 'blocked':
      return [{ type: 'blocked', value: cause.reason }, `blocked:${cause.reason}`]
    case 'behavior_requested':
    case 'cancelled':
    case 'error':
    case 'indeterminate':
      return [{ type: cause.type === 'cancelled' ? 'cancelled' : 'behavior_requested' }, cause.type]
  }
}
