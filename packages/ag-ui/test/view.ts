/** What a page made with the official client shows of a run, in the words of no wire. */
import type {
  ClientView,
  Glimpse,
  Glimpsing,
  LiveRun,
  SeenCall,
  SeenResult,
  SeenTurn,
  Stage,
} from '@factwire/conformance'
import type { Json, Message, RunContext } from '@factwire/core'
import { history, messageIdOf } from '../src/history.ts'
import type { AgUiMessage, AssistantMessage, Content, ToolMessage } from '../src/wire-message.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { type ClientVersion, type ClientView as Page, openClient } from './client.ts'

/** The thread before the run. */
export const earlier: readonly Message[] = [
  { id: 'user-1', role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  { id: 'old-1', role: 'assistant', content: [{ type: 'text', text: 'Hi. ' }] },
  { id: 'user-2', role: 'user', content: [{ type: 'text', text: 'Now do it.' }] },
]
const EARLIER = new Set(earlier.map(({ id }) => id))

/** What a server knows: what was before, and the answers that the request brought. */
export function contextWithHistory(run: LiveRun, first?: LiveRun): RunContext {
  const before = first ? [...messagesOf(first), ...answersOf(run, first)] : []
  return { ...run.run, history: [...earlier, ...before] }
}

const messagesOf = ({ script }: LiveRun): readonly Message[] =>
  script.flatMap((item) => ('commit' in item ? item.commit.messages : []))

/** The results of the calls that waited for the client. */
function answersOf({ script }: LiveRun, first: LiveRun): readonly Message[] {
  const pending = first.script.flatMap((item) => ('commit' in item ? (item.commit.pending ?? []) : []))
  const asked = new Set(pending.flatMap(({ kind, tool_use_id }) => (kind === 'client' ? [tool_use_id] : [])))
  const [opening] = script
  if (!opening || !('commit' in opening)) return []
  return opening.commit.messages.filter(({ content }) =>
    content.some((block) => block.type === 'tool_result' && asked.has(block.tool_use_id)),
  )
}

export interface Reader {
  readonly version?: ClientVersion
  /** The client has the thread before the run, and its server knows. */
  readonly thread?: boolean
}

/** A page that reads a stream to where it stops, after what it had read before. */
export function viewer({
  version = '1.0',
  thread = true,
}: Reader): (body: string, stage: Stage) => Promise<ClientView> {
  return async (body, { run, first, had }) => {
    const client = openClient(thread ? history({ messages: earlier }) : [], version)
    if (had !== undefined) await client.read(had)
    // A server that does not know the thread tells a client its own answers, too.
    if (first && thread)
      client.add(history({ messages: answersOf(run, first) }).map((message) => readable(message, version)))
    const page = await client.read(body)
    // Nor does it know which ids the client has met.
    const warnings = first && !thread ? page.warnings.filter((warning) => !RENAMED.test(warning)) : page.warnings
    return seen({ ...page, warnings }, version, thread)
  }
}

/** What the page shows while the stream goes on. */
export function glimpsing({ version = '1.0', thread = true }: Reader): Glimpsing {
  const read = async (body: string): Promise<Glimpse> => {
    const { messages, state, told } = await openClient(thread ? history({ messages: earlier }) : [], version).read(body)
    const own = messages.filter(({ id }) => !EARLIER.has(id))
    const turns = turnsOf(own)
    const spoken = own.flatMap((message) => (message.role === 'assistant' ? [message] : []))
    const printed = own.flatMap((message) =>
      message.role === 'activity' && message.activityType === 'tool-output' ? [message.content] : [],
    )
    return {
      text: turns.at(-1)?.text ?? '',
      reasoning: turns.at(-1)?.reasoning ?? '',
      calls: Object.fromEntries(
        spoken.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => [call.id, call.function.arguments])),
      ),
      output: Object.fromEntries(
        printed.map(({ toolCallId, chunks }) => [toolCallId as string, (chunks as string[]).join('')]),
      ),
      ...(told || state !== undefined ? { state: state as Json } : {}),
      activities: own.flatMap((message) =>
        message.role === 'activity'
          ? [{ message_id: message.id, activity_type: message.activityType, content: message.content }]
          : [],
      ),
    }
  }
  // Reasoning is an option, and the server that does not know the thread has it off.
  return {
    shows: ['text', ...(thread ? (['reasoning'] as const) : []), 'calls', 'output', 'state', 'activities'],
    read,
  }
}

const RENAMED = /^TOOL_CALL_START: tool call .* already exists with name/

function seen(page: Page, version: ClientVersion, thread: boolean): ClientView {
  const { state, told, warnings, rejected } = page
  const messages = thread ? page.messages : withoutGivenUp(page.messages)
  // What somebody else says meanwhile is no fact: only a snapshot tells it.
  const own = messages.filter(({ id }) => !EARLIER.has(id) && !id.startsWith('steer-'))
  const activities = own.flatMap((message) => (message.role === 'activity' ? [message] : []))
  // What a tool prints is for while it runs.
  const kept = activities.filter(({ activityType }) => activityType !== 'tool-output')
  return {
    ...endOf({ ...page, messages }, version),
    ...(rejected === undefined ? {} : { rejected }),
    turns: turnsOf(own),
    ...(told ? { state: state as Json } : {}),
    ...(kept.length > 0
      ? {
          activities: kept.map(({ id, activityType, content }) => ({
            message_id: id,
            activity_type: activityType,
            content,
          })),
        }
      : {}),
    warnings,
    more: {
      earlier: messages.filter(({ id }) => EARLIER.has(id)),
      order: own.map(({ role }) => role).filter((role) => role !== 'activity' && role !== 'reasoning'),
      media: own.filter((message) => message.role === 'tool' && typeof message.content !== 'string').length,
      ...whatEnds(page.ends.at(-1)),
    },
  }
}

/** A client of 0.0.59 has text alone in its results. */
function readable(message: AgUiMessage, version: ClientVersion): AgUiMessage {
  if (version === '1.0' || message.role !== 'tool') return message
  return { ...message, content: textOf(message.content) }
}

const textOf = (content: Content): string =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** Where nothing can be taken back, a call that was given up stays and says so: a page leaves it out. */
function withoutGivenUp(messages: readonly AgUiMessage[]): readonly AgUiMessage[] {
  const gone = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool' && message.id.endsWith('-cancelled')) gone.add(message.toolCallId)
  }
  return messages.flatMap((message): readonly AgUiMessage[] => {
    if (message.role === 'tool') return gone.has(message.toolCallId) ? [] : [message]
    if (message.role !== 'assistant' || !message.toolCalls) return [message]
    const toolCalls = message.toolCalls.filter(({ id }) => !gone.has(id))
    return toolCalls.length === 0 && message.content === undefined ? [] : [{ ...message, toolCalls }]
  })
}

function whatEnds(end: AgUiEvent | undefined): object {
  if (end?.type === 'RUN_ERROR') return { usage: end.usage }
  if (end?.type !== 'RUN_FINISHED') return {}
  const { usage, result, metadata } = end
  return { usage, result, cause: metadata?.factwire?.cause }
}

function endOf(
  { ends, pending, interrupts, messages }: Page,
  version: ClientVersion,
): Pick<ClientView, 'status' | 'code' | 'waitingFor'> {
  const end = ends.at(-1)
  if (!end) return { status: 'running' }
  if (end.type === 'RUN_ERROR') return { status: 'failed', ...(end.code === undefined ? {} : { code: end.code }) }
  if (interrupts.length > 0)
    return { status: 'waiting', waitingFor: interrupts.map(({ id, toolCallId }) => toolCallId ?? id) }
  const calls = version === '1.0' ? pending : unanswered(messages)
  return calls.length > 0 ? { status: 'waiting', waitingFor: calls } : { status: 'finished' }
}

/** A client of 0.0.59 leaves it to the page to see what there is to run. */
function unanswered(messages: readonly AgUiMessage[]): readonly string[] {
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])))
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  return calls.map(({ id }) => id).filter((id) => !answered.has(id))
}

/** What was thought belongs to the message that its id names; without one it stands alone. */
function turnsOf(messages: readonly AgUiMessage[]): readonly SeenTurn[] {
  const spoken = new Set(messages.flatMap((message) => (message.role === 'assistant' ? [message.id] : [])))
  const thoughts = new Map<string, string>()
  for (const message of messages) {
    if (message.role === 'reasoning') thoughts.set(messageIdOf(message.id), message.content)
  }
  return messages.flatMap((message): readonly SeenTurn[] => {
    if (message.role === 'assistant') return [turnOf(message, thoughts.get(message.id) ?? '', messages)]
    if (message.role !== 'reasoning') return []
    const id = messageIdOf(message.id)
    return spoken.has(id) ? [] : [{ id, text: '', reasoning: message.content, calls: [] }]
  })
}

const turnOf = (
  { id, content = '', toolCalls = [] }: AssistantMessage,
  reasoning: string,
  messages: readonly AgUiMessage[],
): SeenTurn => ({
  id,
  text: content,
  reasoning,
  calls: toolCalls.map(({ id: callId, function: { name, arguments: text } }) => {
    const result = messages.find((message) => message.role === 'tool' && message.toolCallId === callId)
    return {
      id: callId,
      name,
      ...argumentsOf(text),
      ...(result?.role === 'tool' ? { result: resultOf(result) } : {}),
    }
  }),
})

function argumentsOf(text: string): Pick<SeenCall, 'arguments' | 'unparsed'> {
  try {
    return { arguments: JSON.parse(text) as Json }
  } catch {
    return { arguments: null, unparsed: text }
  }
}

function resultOf({ content, metadata }: ToolMessage): SeenResult {
  const { is_error, denied, data } = metadata?.factwire ?? {}
  return {
    text: textOf(content),
    ...(is_error ? { is_error } : {}),
    ...(denied ? { denied } : {}),
    ...(data === undefined ? {} : { data }),
  }
}
