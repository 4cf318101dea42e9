/** The wire as the laws judge it: what the official client gives its user, and which part of the truth that can be. */
import {
  CLIENT_TOOL,
  type ClientView,
  type LiveRun,
  type Seen,
  type SeenCall,
  type Subject,
} from '@factwire/conformance'
import type { Commit, Json, Message, Pending, RunContext, TokenUsage } from '@factwire/core'
import { type ChatFrame, openaiChat, type OpenAiChatOptions } from '../src/index.ts'
import { type ClientCall, type ClientVersion, readChunks, readFinal } from './client.ts'

const APPROVAL_TOOL = 'approve'

export const options: OpenAiChatOptions = {
  clientTools: [CLIENT_TOOL],
  includeUsage: true,
  approvalTool: APPROVAL_TOOL,
}

/** Names of the tools that the client brings. */
export const tools: readonly string[] = [CLIENT_TOOL, APPROVAL_TOOL]

export const subjectOf = (version: ClientVersion = '7'): Subject<ChatFrame, OpenAiChatOptions> => ({
  protocol: openaiChat,
  label: `openai-chat, read by openai ${version}`,
  options,
  repairs: false,
  context: contextOf,
  view: (body) => viewOf(body, version),
  // Which call may be shown before its fact depends on whose tool it is: `calls.test.ts` looks at that.
  glimpse: { shows: ['text'], read: async (body) => ({ text: (await readChunks(body, { version })).text }) },
  shows,
})

/** With each of its clients, for who finds wires by folder. @public */
export const subjects = (['7', '6'] as const).map(subjectOf)

/** The server knows the model and the time, and whatever the thread holds already. */
export function contextOf({ run }: LiveRun, first?: LiveRun): RunContext {
  return { ...run, model: 'm-large', startedAt: 1_790_000_000_000, history: first ? messagesOf(first) : [] }
}

const commitsOf = ({ script }: LiveRun): Commit[] => script.flatMap((item) => ('commit' in item ? [item.commit] : []))
const messagesOf = (run: LiveRun): Message[] => commitsOf(run).flatMap(({ messages }) => messages)

/** Each segment is a request of its own, so what the client had read before is nothing to it. */
async function viewOf(body: string, version: ClientVersion): Promise<ClientView> {
  const { text, toolCalls, finish, usage, error, warnings } = await readFinal(body, { version })
  // Whoever waits for the answer gets an exception in its place, so what had been said before is no part of the view.
  if (error?.reported) return { status: 'failed', code: String(error.code), turns: [], warnings }
  if (error) return { status: 'running', turns: [], rejected: error.message, warnings }
  const calls = toolCalls.map(callOf)
  const turns = [{ text, calls }]
  const more = { finish, usage }
  if (finish !== 'tool_calls') return { status: 'finished', turns, warnings, more }
  return { status: 'waiting', turns, waitingFor: toolCalls.map(({ id }) => id), warnings, more }
}

function callOf({ id, name, arguments: text }: ClientCall): SeenCall {
  try {
    return { id, name, arguments: JSON.parse(text) as Json }
  } catch {
    return { id, name, arguments: null, unparsed: text }
  }
}

/** One text, and the calls that the client is to run or to let somebody decide. */
function shows({ status, code, turns: all, waitingFor = [] }: Seen, run: LiveRun): Seen & Pick<ClientView, 'more'> {
  if (status === 'failed') return { status, ...(code === undefined ? {} : { code }), turns: [] }
  const state = commitsOf(run).at(-1)?.state
  // What somebody has ended is no answer.
  if (state?.type === 'ended' && state.cause.type === 'cancelled')
    return { status: 'failed', code: 'cancelled', turns: [] }
  const own = new Set(messagesOf(run).map(({ id }) => id))
  const turns = all.filter(({ id }) => id !== undefined && own.has(id))
  const texts = turns.map(({ text }) => text).filter((text) => text !== '')
  const pending = commitsOf(run).at(-1)?.pending ?? []
  const known = turns.flatMap(({ calls }) => calls)
  const asked = waitingFor.flatMap((id) => {
    const call = known.findLast((candidate) => candidate.id === id)
    const entry = pending.find(({ tool_use_id }) => tool_use_id === id)
    return call && entry ? [askedFor(call, entry)] : []
  })
  const ordered = [...asked.filter(({ kind }) => kind === 'client'), ...asked.filter(({ kind }) => kind === 'approval')]
  const calls = ordered.map(({ call }) => call)
  if (status === 'waiting' && calls.length === 0) return { status: 'failed', code: 'awaiting_unsupported', turns: [] }
  return {
    status,
    turns: [{ text: texts.join('\n\n'), calls }],
    ...(status === 'waiting' ? { waitingFor: calls.map(({ id }) => id) } : {}),
    more: { finish: finishOf(run), usage: usageOf(run) },
  }
}

function finishOf(run: LiveRun): string {
  const state = commitsOf(run).at(-1)?.state
  if (state?.type === 'awaiting') return 'tool_calls'
  if (state?.type !== 'ended') return 'stop'
  if (state.cause.type === 'blocked') return 'content_filter'
  return state.cause.type === 'max_steps' ? 'length' : 'stop'
}

/** The sum of all model calls. Details are told where there are any. */
function usageOf(run: LiveRun): Json {
  const usages = commitsOf(run).flatMap(({ inference }) => (inference?.usage ? [inference.usage] : []))
  const sum = (count: (usage: TokenUsage) => number | undefined): number =>
    usages.reduce((total, usage) => total + (count(usage) ?? 0), 0)
  const cached = sum(({ cache_read_tokens }) => cache_read_tokens)
  const thinking = sum(({ thinking_tokens }) => thinking_tokens)
  return {
    prompt_tokens: sum(({ prompt_tokens }) => prompt_tokens),
    completion_tokens: sum(({ completion_tokens }) => completion_tokens),
    total_tokens: sum(
      ({ prompt_tokens = 0, completion_tokens = 0, total_tokens = prompt_tokens + completion_tokens }) => total_tokens,
    ),
    ...(cached > 0 ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
    ...(thinking > 0 ? { completion_tokens_details: { reasoning_tokens: thinking } } : {}),
  }
}

/** Approval is asked for by a call of the client's tool for that. */
function askedFor(
  { result: _none, ...call }: SeenCall,
  { kind, approval_id, message, parameters }: Pending,
): { readonly kind: Pending['kind']; readonly call: SeenCall } {
  if (kind === 'client') return { kind, call }
  const question = {
    tool_call_id: call.id,
    tool: call.name,
    arguments: call.arguments,
    ...(message === undefined ? {} : { message }),
    ...(parameters === undefined ? {} : { parameters }),
  }
  return { kind, call: { id: approval_id ?? call.id, name: APPROVAL_TOOL, arguments: question } }
}
