/** The wire as the laws judge it: what the official client gives its user, and which part of the truth that can be. */
import {
  CLIENT_TOOL,
  type ClientView,
  type LiveRun,
  type Seen,
  type SeenCall,
  type SeenTurn,
  type Subject,
} from '@factwire/conformance'
import { type Commit, equalJson, type Json, type Message, type RunContext, type TokenUsage } from '@factwire/core'
import { openaiResponses, type OpenAiResponsesOptions, type ResponsesFrame } from '../src/index.ts'
import { type ClientVersion, type Item, type Response, readStream, type StreamEvent } from './client.ts'

export const options: OpenAiResponsesOptions = { clientTools: [CLIENT_TOOL] }

export const subjectOf = (version: ClientVersion = '7'): Subject<ResponsesFrame, OpenAiResponsesOptions> => ({
  protocol: openaiResponses,
  label: `openai-responses, read by openai ${version}`,
  options,
  repairs: false,
  context: contextOf,
  view: (body) => viewOf(body, version),
  isBeyondGrammar: (warning) => warning.startsWith(LAXER) || warning.startsWith(APART),
  // Which call may be shown before its fact depends on whose tool it is: `calls.test.ts` looks at that.
  glimpse: { shows: ['text', 'reasoning'], read: (body) => glimpseOf(body, version) },
  shows,
})

/** With each of its clients, for who finds wires by folder. @public */
export const subjects = (['7', '6'] as const).map(subjectOf)

/** The grammar is that of version 7, the stricter one. What the older one gives up must not be anything that is written. */
const LAXER = 'openai 6 gives it up'

/** The server knows the model and the time, and whatever the thread holds already. */
export function contextOf({ run }: LiveRun, first?: LiveRun): RunContext {
  return { ...run, model: 'm-large', startedAt: 1_790_000_000_000, history: first ? messagesOf(first) : [] }
}

const commitsOf = ({ script }: LiveRun): Commit[] => script.flatMap((item) => ('commit' in item ? [item.commit] : []))
const messagesOf = (run: LiveRun): Message[] => commitsOf(run).flatMap(({ messages }) => messages)

/** Many clients show the fragments and never look at the whole again. */
const APART = 'what was streamed is not what it came to'

function partings(events: readonly StreamEvent[]): string[] {
  const streamed = new Map<string, string>()
  const warnings: string[] = []
  for (const event of events) {
    if (!('item_id' in event)) continue
    const of = `${event.item_id} ${event.type.replace(/\.(delta|done)$/, '')}`
    const said = streamed.get(of) ?? ''
    if ('delta' in event && typeof event.delta === 'string') streamed.set(of, said + event.delta)
    else if ('text' in event && event.text !== said) warnings.push(`${APART}: ${of}`)
    else if ('arguments' in event && !isSameJson(event.arguments, said)) warnings.push(`${APART}: ${of}`)
  }
  return warnings
}

function isSameJson(one: string, other: string): boolean {
  if (one === other) return true
  try {
    return equalJson(JSON.parse(one) as Json, JSON.parse(other) as Json)
  } catch {
    return false
  }
}

/** Each segment is a request of its own, so what the client had read before is nothing to it. */
async function viewOf(body: string, version: ClientVersion): Promise<ClientView> {
  const seen = await readStream(body, { version })
  const strict = version === '7' ? seen : await readStream(body, { version: '7' })
  const rejected = strict.error && !strict.error.reported ? { rejected: strict.error.message } : {}
  const laxer = version === '6' && seen.error && !seen.error.reported ? [`${LAXER}: ${seen.error.message}`] : []
  const warnings = [...seen.warnings, ...laxer, ...partings(seen.events)]
  if (seen.error?.reported) return { status: 'failed', code: String(seen.error.code), turns: [], warnings, ...rejected }
  if (!seen.response) return { status: 'running', turns: [], warnings, ...rejected }
  return { ...responseView(seen.response), warnings, ...rejected }
}

function responseView(response: Response): Seen & Pick<ClientView, 'more'> {
  const { output, status, error, usage, incomplete_details } = response
  const asked = output.flatMap(askedIn)
  const turns = turnsOf({
    reasoning: output.map(thoughtIn).join(''),
    messages: output.flatMap((item) =>
      item.type === 'message' ? [{ id: item.id, text: textIn(item), calls: [] }] : [],
    ),
    ran: output.flatMap(ranIn),
    asked,
  })
  const more = { reason: incomplete_details?.reason ?? null, usage: usage ?? null }
  switch (status) {
    case 'failed':
      return { status: 'failed', code: error?.code ?? '', turns, more: { usage: usage ?? null } }
    case 'completed':
      if (asked.length === 0) return { status: 'finished', turns, more }
      return { status: 'waiting', turns, waitingFor: asked.map(({ id }) => id), more }
    case 'incomplete':
    case 'cancelled':
      return { status: 'finished', turns, more }
    default:
      return { status: 'running', turns }
  }
}

interface Parts {
  readonly reasoning: string
  readonly messages: readonly SeenTurn[]
  readonly ran: readonly SeenCall[]
  readonly asked: readonly SeenCall[]
}

/** Items stand in the order in which they were begun, and name no message: each kind is in its order. */
function turnsOf({ reasoning, messages, ran, asked }: Parts): SeenTurn[] {
  return [{ text: '', reasoning, calls: [] }, ...messages, { text: '', calls: ran }, { text: '', calls: asked }]
}

const textIn = (item: Extract<Item, { type: 'message' }>): string =>
  item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('')

const thoughtIn = (item: Item): string =>
  item.type === 'reasoning' ? item.summary.map(({ text }) => text).join('') : ''

/** A call that has not ended is no part of what anybody can rely on. */
function ranIn(item: Item): SeenCall[] {
  if (item.type !== 'mcp_call' || (item.status !== 'completed' && item.status !== 'failed')) return []
  const { id, name, arguments: args, output, error } = item
  const told = JSON.parse(JSON.stringify(error ?? null)) as { content: { text: string }[] } | null
  const result = told ? { text: told.content[0]?.text ?? '', is_error: true } : { text: output ?? '' }
  return [{ ...callOf(id.replace(/^mcp_/, ''), name, args), result }]
}

function askedIn(item: Item): SeenCall[] {
  if (item.type === 'mcp_approval_request') return [callOf(item.id.replace(/^mcpr_/, ''), item.name, item.arguments)]
  if (item.type !== 'function_call' || item.status !== 'completed') return []
  return [callOf(item.call_id, item.name, item.arguments)]
}

function callOf(id: string, name: string, text: string): SeenCall {
  try {
    return { id, name, arguments: JSON.parse(text) as Json }
  } catch {
    return { id, name, arguments: null, unparsed: text }
  }
}

async function glimpseOf(body: string, version: ClientVersion): Promise<{ text: string; reasoning: string }> {
  const { response } = await readStream(body, { version })
  const output = response?.output ?? []
  const last = output.findLast((item) => item.type === 'message')
  return { text: last ? textIn(last) : '', reasoning: output.map(thoughtIn).join('') }
}

/** The messages of this response, what the agent ran, and what it asks the client for. */
function shows(
  { status, code, turns: all, waitingFor = [] }: Seen,
  run: LiveRun,
  first?: LiveRun,
): Seen & Pick<ClientView, 'more'> {
  const own = new Set(messagesOf(run).map(({ id }) => id))
  const turns = all.filter(({ id }) => id !== undefined && own.has(id))
  const calls = turns.flatMap((turn) => turn.calls)
  const pending = commitsOf(run).at(-1)?.pending ?? []
  const approvals = new Set(pending.flatMap(({ kind, tool_use_id }) => (kind === 'approval' ? [tool_use_id] : [])))
  // What the client is to run stands before what it is to be asked.
  const asked =
    status === 'waiting'
      ? waitingFor.toSorted((one, other) => Number(approvals.has(one)) - Number(approvals.has(other)))
      : []
  const waits = asked.flatMap((id) => calls.findLast((call) => call.id === id) ?? [])
  const approved = new Set(
    (first ? commitsOf(first) : []).flatMap(({ pending = [] }) =>
      pending.flatMap(({ kind, tool_use_id }) => (kind === 'approval' ? [tool_use_id] : [])),
    ),
  )
  const before = all.filter(({ id }) => id !== undefined && !own.has(id)).flatMap((turn) => turn.calls)
  const answered = messagesOf(run).flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  )
  // In the order in which they were run.
  const resumed = before
    .filter(({ id, result }) => approved.has(id) && result !== undefined && answered.includes(id))
    .toSorted((one, other) => answered.indexOf(one.id) - answered.indexOf(other.id))
  const told = inOrder(turns, run).filter((call) => !waits.includes(call) && call.name !== CLIENT_TOOL)
  const ran = [...resumed, ...told].map(withText)
  const usage = usageOf(run)
  const shown = turnsOf({
    reasoning: turns.map(({ reasoning = '' }) => reasoning).join(''),
    messages: turns.map(({ id, text }) => ({ ...(id === undefined ? {} : { id }), text, calls: [] })),
    ran,
    asked: waits,
  })
  if (status === 'waiting' && waits.length === 0) {
    return { status: 'failed', code: 'awaiting_unsupported', turns: shown, more: { usage } }
  }
  return {
    status,
    ...(code === undefined ? {} : { code }),
    ...(status === 'waiting' ? { waitingFor: waits.map(({ id }) => id) } : {}),
    turns: shown,
    more: status === 'failed' ? { usage } : { reason: reasonOf(run), usage },
  }
}

/** What somebody has to agree to is told with its result, everything else as soon as it is made. */
function inOrder(turns: readonly SeenTurn[], run: LiveRun): SeenCall[] {
  const told: SeenCall[] = []
  const asked: SeenCall[] = []
  for (const { messages, pending = [] } of commitsOf(run)) {
    const approvals = new Set(pending.flatMap((entry) => (entry.kind === 'approval' ? [entry.tool_use_id] : [])))
    for (const { id, content } of messages) {
      for (const call of turns.find((turn) => turn.id === id)?.calls ?? []) {
        ;(approvals.has(call.id) ? asked : told).push(call)
      }
      for (const block of content) {
        if (block.type !== 'tool_result') continue
        const answered = asked.findIndex((call) => call.id === block.tool_use_id)
        if (answered >= 0) told.push(...asked.splice(answered, 1))
      }
    }
  }
  return [...told, ...asked]
}

/** A call without a result is told as one that has failed. */
function withText({ result, ...call }: SeenCall): SeenCall {
  if (!result) return { ...call, result: { text: 'No result: the run ended first.', is_error: true } }
  const { text, is_error } = result
  return { ...call, result: { text, ...(is_error ? { is_error } : {}) } }
}

function reasonOf(run: LiveRun): string | null {
  const state = commitsOf(run).at(-1)?.state
  if (state?.type !== 'ended') return null
  if (state.cause.type === 'max_steps') return 'max_output_tokens'
  if (state.cause.type === 'blocked') return 'content_filter'
  return state.cause.type === 'cancelled' ? 'cancelled' : null
}

/** The sum of all model calls; null where none told anything. */
function usageOf(run: LiveRun): Json {
  const usages = commitsOf(run).flatMap(({ inference }) => (inference?.usage ? [inference.usage] : []))
  if (usages.length === 0) return null
  const sum = (count: (usage: TokenUsage) => number | undefined): number =>
    usages.reduce((total, usage) => total + (count(usage) ?? 0), 0)
  return {
    input_tokens: sum(({ prompt_tokens }) => prompt_tokens),
    input_tokens_details: {
      cached_tokens: sum(({ cache_read_tokens }) => cache_read_tokens),
      cache_write_tokens: sum(({ cache_creation_tokens }) => cache_creation_tokens),
    },
    output_tokens: sum(({ completion_tokens }) => completion_tokens),
    output_tokens_details: { reasoning_tokens: sum(({ thinking_tokens }) => thinking_tokens) },
    total_tokens: sum(
      ({ prompt_tokens = 0, completion_tokens = 0, total_tokens = prompt_tokens + completion_tokens }) => total_tokens,
    ),
  }
}
