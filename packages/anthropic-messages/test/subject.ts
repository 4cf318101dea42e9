/** The wire as the laws judge it: what the official client gives its user, and which part of the truth that can be. */
import {
  CLIENT_TOOL,
  type ClientView,
  type Glimpse,
  type LiveRun,
  type Seen,
  type SeenCall,
  type SeenTurn,
  type Subject,
} from '@factwire/conformance'
import type { Commit, EndCause, Json, Message, Pending, RunContext, TokenUsage } from '@factwire/core'
import { anthropicMessages, type AnthropicMessagesOptions, type MessagesFrame } from '../src/index.ts'
import { type ClientBlock, type ClientKind, CLIENTS, readFinal, told } from './client.ts'

const APPROVAL_TOOL = 'approve'

export const options: AnthropicMessagesOptions = { clientTools: [CLIENT_TOOL], approvalTool: APPROVAL_TOOL }

export const subjectOf = (
  kind: ClientKind = { version: '1.14', part: 'messages' },
): Subject<MessagesFrame, AnthropicMessagesOptions> => ({
  protocol: anthropicMessages,
  label: `anthropic-messages, read by ${told(kind)}`,
  options,
  repairs: false,
  context: contextOf,
  view: (body) => viewOf(body, kind),
  // Which call may be shown before its fact depends on whose tool it is: `calls.test.ts` looks at that.
  glimpse: { shows: ['text', 'reasoning'], read: (body) => glimpseOf(body, kind) },
  // The client parses the arguments of a call when its block ends.
  isBeyondGrammar: (words) => /JSON/.test(words),
  shows,
})

/** With each of its clients, for who finds wires by folder. @public */
export const subjects = CLIENTS.map(subjectOf)

/** The server knows the model, and whatever the thread holds already. */
export function contextOf({ run }: LiveRun, first?: LiveRun): RunContext {
  return { ...run, model: 'm-large', history: first ? messagesOf(first) : [] }
}

const commitsOf = ({ script }: LiveRun): Commit[] => script.flatMap((item) => ('commit' in item ? [item.commit] : []))
const messagesOf = (run: LiveRun): Message[] => commitsOf(run).flatMap(({ messages }) => messages)

// ── What the client gives ──

/** Each segment is a request of its own, so what the client had read before is nothing to it. */
async function viewOf(body: string, kind: ClientKind): Promise<ClientView> {
  const { content, stopReason, usage, error, warnings } = await readFinal(body, kind)
  // Whoever waits for the answer gets an exception in its place, so what had been said before is no part of the view.
  if (error?.reported) return { status: 'failed', code: String(error.code), turns: [], warnings }
  if (error) return { status: 'running', turns: [], rejected: error.message, warnings }
  const turn = turnOf(content)
  const offered = content.filter(({ type }) => type === 'tool_use')
  const more = { stopReason, usage: usage as Json }
  if (stopReason !== 'tool_use') return { status: 'finished', turns: [turn], warnings, more }
  return { status: 'waiting', turns: [turn], waitingFor: offered.map(({ id = '' }) => id), warnings, more }
}

/** All that is said is one turn: the calls of the agent with their results, then those of the client. */
function turnOf(content: readonly ClientBlock[]): SeenTurn {
  const results = content.filter(({ type }) => type === 'mcp_tool_result')
  const own = content.filter(({ type }) => type === 'mcp_tool_use')
  const offered = content.filter(({ type }) => type === 'tool_use')
  return {
    text: content.map(({ text = '' }) => text).join(''),
    reasoning: content.map(({ thinking = '' }) => thinking).join(''),
    calls: [
      ...own.map((call) => {
        const result = results.find(({ tool_use_id }) => tool_use_id === call.id)
        return { ...callOf(call), ...(result ? { result: resultOf(result) } : {}) }
      }),
      ...offered.map(callOf),
    ],
  }
}

const callOf = ({ id = '', name = '', input }: ClientBlock): SeenCall => ({
  id,
  name,
  arguments: (input ?? null) as Json,
})

const resultOf = ({ content, is_error }: ClientBlock): NonNullable<SeenCall['result']> => ({
  text: (content as readonly { readonly text: string }[]).map(({ text }) => text).join(''),
  ...(is_error ? { is_error } : {}),
})

async function glimpseOf(body: string, kind: ClientKind): Promise<Glimpse> {
  const { content, open } = await readFinal(body, kind)
  const { text, reasoning = '' } = turnOf(content)
  return { text, reasoning, busy: open && content.at(-1)?.type === 'tool_use' }
}

// ── What it can be ──

/** One text, and the calls with their results; those that wait for somebody are offered last. */
function shows(
  { status, code, turns: all, waitingFor = [] }: Seen,
  run: LiveRun,
  first?: LiveRun,
): Seen & Pick<ClientView, 'more'> {
  if (status === 'failed') return { status, ...(code === undefined ? {} : { code }), turns: [] }
  const state = commitsOf(run).at(-1)?.state
  // What somebody has ended is no answer.
  if (state?.type === 'ended' && state.cause.type === 'cancelled')
    return { status: 'failed', code: 'cancelled', turns: [] }
  const own = new Set(messagesOf(run).map(({ id }) => id))
  const turns = all.filter(({ id }) => id !== undefined && own.has(id))
  const pending = commitsOf(run).at(-1)?.pending ?? []
  const known = turns.flatMap(({ calls }) => calls)
  const asked = waitingFor.flatMap((id) => {
    const call = known.findLast((candidate) => candidate.id === id)
    const entry = pending.find(({ tool_use_id }) => tool_use_id === id)
    return call && entry ? [askedFor(call, entry)] : []
  })
  const offered = [
    ...asked.filter(({ kind }) => kind === 'client'),
    ...asked.filter(({ kind }) => kind === 'approval'),
  ].map(({ call }) => call)
  if (status === 'waiting' && offered.length === 0) return { status: 'failed', code: 'awaiting_unsupported', turns: [] }
  const calls = [...(first ? answeredCalls(all, own, run) : []), ...known.filter(isAgents)].map(plain)
  const reasoning = turns.map((turn) => turn.reasoning ?? '').join('')
  return {
    status,
    turns: [{ text: textOf(turns), reasoning, calls: [...calls, ...offered] }],
    ...(status === 'waiting' ? { waitingFor: offered.map(({ id }) => id) } : {}),
    more: moreOf(run),
  }
}

const isAgents = ({ name }: SeenCall): boolean => name !== CLIENT_TOOL

/** Calls of the segment before that the agent has run in this one, in the order of their results. */
function answeredCalls(all: readonly SeenTurn[], own: ReadonlySet<string>, run: LiveRun): SeenCall[] {
  const before = all.filter(({ id }) => id === undefined || !own.has(id)).flatMap(({ calls }) => calls)
  const answered = messagesOf(run).flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  )
  return answered.flatMap((id) => before.find((call) => call.id === id && isAgents(call)) ?? [])
}

/** A call as this wire has it: its arguments as a value, and of its result the text. */
function plain({ id, name, arguments: args, result }: SeenCall): SeenCall {
  const call = { id, name, arguments: args }
  if (!result) return call
  return { ...call, result: { text: result.text, ...(result.is_error ? { is_error: true } : {}) } }
}

/** A blank line between texts that nothing else parts. */
function textOf(turns: readonly SeenTurn[]): string {
  let whole = ''
  let parted = true
  for (const { text, calls } of turns) {
    if (text !== '') {
      whole += whole === '' || parted ? text : `\n\n${text}`
      parted = false
    }
    parted ||= calls.some(isAgents)
  }
  return whole
}

/** Approval is asked for by a call of the client's tool for that. */
function askedFor(
  { result: _none, ...call }: SeenCall,
  { kind, approval_id, message, parameters }: Pending,
): { readonly kind: Pending['kind']; readonly call: SeenCall } {
  if (kind === 'client') return { kind, call }
  const question = {
    tool_use_id: call.id,
    tool: call.name,
    input: call.arguments,
    ...(message === undefined ? {} : { message }),
    ...(parameters === undefined ? {} : { parameters }),
  }
  return { kind, call: { id: approval_id ?? `approval_${call.id}`, name: APPROVAL_TOOL, arguments: question } }
}

/** Why the message stopped, and what it cost. */
function moreOf(run: LiveRun): { readonly stopReason: string; readonly usage: Json } {
  const state = commitsOf(run).at(-1)?.state
  const stopReason =
    state?.type === 'awaiting' ? 'tool_use' : state?.type === 'ended' ? reasonOf(state.cause) : 'end_turn'
  return { stopReason, usage: usageOf(run) }
}

function reasonOf({ type }: EndCause): string {
  if (type === 'blocked') return 'refusal'
  return type === 'max_steps' ? 'max_tokens' : 'end_turn'
}

/** The sum of all model calls. Details are told where there are any. */
function usageOf(run: LiveRun): Json {
  const usages = commitsOf(run).flatMap(({ inference }) => (inference?.usage ? [inference.usage] : []))
  const sum = (count: (usage: TokenUsage) => number | undefined): number =>
    usages.reduce((total, usage) => total + (count(usage) ?? 0), 0)
  const read = sum(({ cache_read_tokens }) => cache_read_tokens)
  const thinking = sum(({ thinking_tokens }) => thinking_tokens)
  return {
    input_tokens: sum(({ prompt_tokens }) => prompt_tokens) - read,
    output_tokens: sum(({ completion_tokens }) => completion_tokens),
    ...(read > 0 ? { cache_read_input_tokens: read } : {}),
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
  }
}
