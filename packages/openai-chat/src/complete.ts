/**
 * Turns the facts of one segment of a run into the answer to a request that did not ask for a stream.
 *
 * It says what the stream says, in one piece: texts with a blank line between, the calls that the client is to run, and one finish.
 */
import {
  type Awaiting,
  type Fact,
  type Json,
  type Pending,
  type RunContext,
  type RunFinished,
  textOf,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { approvalCall } from './approval.ts'
import { error } from './error-body.ts'
import { createUsageTotal } from './usage-total.ts'
import type { ChatCompletion, ChatCompletionMessage, ChatFailure, ChatFinishReason, ChatMessageCall } from './wire.ts'

export interface CompleteOptions {
  /** The field that reasoning is given in. Default false: it is not given. */
  readonly reasoning?: false | 'reasoning_content' | 'reasoning'
  /** Name of a client tool that asks for approval. Without it a run that needs approval ends as `approval_unsupported`. */
  readonly approvalTool?: string
}

/**
 * The body of the response. A run that failed, or that has no end, gives the error body, for which 500 is the status: whoever
 * sends it tells them apart by the `error` key.
 */
export function complete(
  facts: readonly Fact[],
  run: RunContext,
  options: CompleteOptions = {},
): ChatCompletion | ChatFailure {
  const said = read(facts)
  const end = said.end
  if (!end) return error(500, { code: 'stream_failed', message: 'the run broke off before its end' })
  return match(end)
    .returnType<ChatCompletion | ChatFailure>()
    .with({ type: 'run_failed' }, (failed) => error(500, failed))
    .with({ type: 'run_finished' }, (finished) => completion(said, [], finishReason(finished), run, options))
    .with({ type: 'awaiting' }, (awaiting) => {
      const approvals = approvalsOf(awaiting, said)
      if (approvals.length > 0 && options.approvalTool === undefined) return error(500, APPROVAL_UNSUPPORTED)
      const asked = approvals.map((pending) => question(pending, said, run, options.approvalTool ?? ''))
      const calls = [...clientCalls(said), ...asked, ...earlierCalls(awaiting, said, run)]
      return completion(said, calls, calls.length > 0 ? 'tool_calls' : 'stop', run, options)
    })
    .exhaustive()
}

const APPROVAL_UNSUPPORTED = {
  code: 'approval_unsupported',
  message: 'the run waits for an approval that this client cannot give',
}

// ── What the run said ──

type End = Extract<Fact, { readonly type: 'awaiting' | 'run_finished' | 'run_failed' }>
type Call = Extract<Fact, { readonly type: 'tool_call' }>

interface Said {
  readonly texts: readonly string[]
  readonly thoughts: readonly string[]
  readonly calls: ReadonlyMap<string, Call>
  readonly answered: ReadonlySet<string>
  /** Undefined when no model told what it used. */
  readonly usage: Json | undefined
  readonly model: string | undefined
  readonly end: End | undefined
}

/** Nothing counts before the start or after the end. */
function read(facts: readonly Fact[]): Said {
  const texts: string[] = []
  const thoughts: string[] = []
  const calls = new Map<string, Call>()
  const answered = new Set<string>()
  const usage = createUsageTotal()
  let counted = false
  let model: string | undefined
  let end: End | undefined
  const finish = (last: End): void => {
    end = last
  }

  const start = facts.findIndex(({ type }) => type === 'run_started')
  for (const fact of start < 0 ? [] : facts.slice(start)) {
    match(fact)
      .returnType<void>()
      .with({ type: 'assistant_message' }, ({ content }) => void texts.push(textOf(content)))
      .with({ type: 'assistant_thinking' }, ({ text = '' }) => void thoughts.push(text))
      .with({ type: 'tool_call' }, (call) => {
        calls.set(call.id, call)
        answered.delete(call.id)
      })
      .with({ type: 'tool_result' }, ({ id }) => void answered.add(id))
      .with({ type: 'inference_completed' }, (inference) => {
        usage.add(inference)
        counted ||= inference.usage !== undefined
        model ??= inference.model
      })
      .with({ type: 'awaiting' }, finish)
      .with({ type: 'run_finished' }, finish)
      .with({ type: 'run_failed' }, finish)
      .with(
        { type: 'run_started' },
        { type: 'continuation' },
        { type: 'step_ended' },
        { type: 'state_snapshot' },
        { type: 'activity_snapshot' },
        () => {},
      )
      .exhaustive()
    if (end) break
  }
  return { texts, thoughts, calls, answered, usage: counted ? usage.total() : undefined, model, end }
}

// ── Whom it waits for ──

function openCalls({ calls, answered }: Said, disposition: Call['disposition']): Call[] {
  return [...calls.values()].filter((call) => call.disposition === disposition && !answered.has(call.id))
}

const clientCalls = (said: Said): ChatMessageCall[] => openCalls(said, 'pending_client').map(messageCall)

/** A fold without additions names nobody: then the calls themselves say it. */
function approvalsOf({ pending = [] }: Awaiting, said: Said): readonly Pending[] {
  const named = pending.filter(({ kind }) => kind === 'approval')
  const ids = new Set(named.map(({ tool_use_id }) => tool_use_id))
  const unnamed = openCalls(said, 'pending_builtin').filter(({ id }) => !ids.has(id))
  return [...named, ...unnamed.map(({ id }): Pending => ({ tool_use_id: id, kind: 'approval' }))]
}

function question(pending: Pending, said: Said, run: RunContext, name: string): ChatMessageCall {
  const { id, arguments: args } = approvalCall(pending, callOf(pending.tool_use_id, said, run))
  return { id, type: 'function', function: { name, arguments: args } }
}

/** Calls of an earlier segment that the run still waits for. */
function earlierCalls({ pending = [] }: Awaiting, said: Said, run: RunContext): ChatMessageCall[] {
  return pending
    .filter(({ kind, tool_use_id }) => kind === 'client' && !said.calls.has(tool_use_id))
    .map(({ tool_use_id }) => messageCall({ ...callOf(tool_use_id, said, run), id: tool_use_id }))
}

type Asked = Pick<Call, 'name' | 'input' | 'raw_input'>

function callOf(id: string, { calls }: Said, { history = [] }: RunContext): Asked {
  const call = calls.get(id)
  if (call) return call
  for (const { content } of history.toReversed()) {
    for (const block of content) if (block.type === 'tool_use' && block.id === id) return block
  }
  return { name: '', input: null }
}

function messageCall({ id, name, input, raw_input }: Asked & { readonly id: string }): ChatMessageCall {
  return { id, type: 'function', function: { name, arguments: raw_input ?? JSON.stringify(input) } }
}

// ── The body ──

function completion(
  { texts, thoughts, usage, model }: Said,
  calls: readonly ChatMessageCall[],
  reason: ChatFinishReason,
  run: RunContext,
  { reasoning = false }: CompleteOptions,
): ChatCompletion {
  const text = joined(texts)
  const thought = reasoning ? joined(thoughts) : ''
  const message: ChatCompletionMessage = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning && thought !== '' ? { [reasoning]: thought } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    id: `chatcmpl-${run.runId}`,
    object: 'chat.completion',
    created: Math.floor((run.startedAt ?? 0) / 1000),
    model: run.model ?? model ?? run.agentId ?? 'agent',
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
    ...(usage === undefined ? {} : { usage }),
  }
}

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n')

function finishReason({ exhausted, cause }: RunFinished): ChatFinishReason {
  if (exhausted) return 'length'
  return cause?.type === 'blocked' && cause.reason === 'content_filter' ? 'content_filter' : 'stop'
}
