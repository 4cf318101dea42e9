/** What a page made with the official client shows of a run, in the words of no wire. */
import type {
  ClientView,
  Glimpse,
  Glimpsing,
  LiveRun,
  SeenActivity,
  SeenCall,
  SeenResult,
  SeenTurn,
  Stage,
} from '@factwire/conformance'
import { type Json, type JsonPatch, type Message, patchedDocument, type RunContext } from '@factwire/core'
import { history } from '../src/history.ts'
import type { MessageMetadata } from '../src/metadata.ts'
import type { Target } from '../src/wire.ts'
import { type Chat, type Told, openChat, type Page, type UIMessage, waitingCalls } from './client.ts'

/** The thread before the run. */
export const earlier: readonly Message[] = [
  { id: 'user-1', role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  { id: 'old-1', role: 'assistant', content: [{ type: 'text', text: 'Hi. ' }] },
  { id: 'user-2', role: 'user', content: [{ type: 'text', text: 'Now do it.' }] },
]
export const earlierPage = history({ messages: earlier }) as unknown as readonly UIMessage[]

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

/** A page that reads a stream to where it stops, after what it had read before. */
export function viewer(version: Target): (body: string, stage: Stage) => Promise<ClientView> {
  return async (body, { run, first, had }) => {
    const chat = openChat(version, { messages: earlierPage })
    if (first && had !== undefined) {
      await chat.ask(had)
      await answerAll(chat, run)
      await chat.ask(body)
    } else if (had === undefined) await chat.ask(body)
    // A chat of v5 that lost its connection adds to what it has: it has to be opened again.
    else if (version === 'v5') await chat.resume(body)
    else {
      await chat.ask(had)
      await chat.resume(body)
    }
    return seen(chat.page(), version, body)
  }
}

/** The page's user says what the run was told. */
async function answerAll(chat: Chat, run: LiveRun): Promise<void> {
  const results = new Map(
    messagesOf(run).flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block] as const] : [])),
    ),
  )
  await chat.answer(({ id }) => {
    const { denied = false, is_error = false, data = null } = results.get(id) ?? {}
    return { approved: !denied, ...(is_error ? { errorText: 'it failed' } : { output: data }) }
  })
}

const isAnswer = ({ id }: UIMessage): boolean => id !== 'user-1' && id !== 'answer-to-user-1' && id !== 'user-2'

/** What the page shows while the stream goes on. */
export function glimpsing(version: Target): Glimpsing {
  const read = async (body: string): Promise<Glimpse> => {
    const chat = openChat(version, { messages: earlierPage })
    await chat.ask(body)
    const { messages, told } = chat.page()
    const last = messages.filter(isAnswer).at(-1)
    const turns = last ? turnsOf(last, version) : []
    const output: Record<string, string> = {}
    for (const { data } of told.filter(({ type }) => type === 'data-tool-output')) {
      const { toolCallId, delta } = data as { readonly toolCallId: string; readonly delta: string }
      output[toolCallId] = (output[toolCallId] ?? '') + delta
    }
    return {
      text: turns.at(-1)?.text ?? '',
      reasoning: turns.at(-1)?.reasoning ?? '',
      calls: Object.fromEntries((last ? partsOf(last) : []).flatMap(argumentsText)),
      output,
      ...documents(told),
    }
  }
  const holds = (document: Json): Json =>
    JSON.parse(JSON.stringify(document), (key, inner: unknown) => (key === '__proto__' ? undefined : inner)) as Json
  return { shows: ['text', 'reasoning', 'calls', 'output', 'state', 'activities'], read, holds }
}

function argumentsText(part: LoosePart): readonly (readonly [string, string])[] {
  if (part.toolCallId === undefined || isGivenUp(part)) return []
  return [[part.toolCallId, part.rawInput ?? (part.input === undefined ? '' : JSON.stringify(part.input))]]
}

interface Document {
  readonly message_id: string
  readonly activity_type: string
  readonly content: Json
  readonly replace?: boolean
}

/** As a page keeps what is told beside the messages. */
function documents(told: readonly Told[]): Pick<ClientView, 'state' | 'activities'> {
  let state: ReturnType<typeof patchedDocument> | undefined
  const activities = new Map<string, { readonly of: Document; readonly document: ReturnType<typeof patchedDocument> }>()
  for (const { type, data } of told) {
    const of = data as Document & { readonly patch: readonly JsonPatch[] }
    const key = type.startsWith('data-activity') ? JSON.stringify([of.message_id, of.activity_type]) : ''
    if (type === 'data-state') state = patchedDocument(data as Json)
    else if (type === 'data-state-delta') (state ??= patchedDocument({})).apply(data as readonly JsonPatch[])
    else if (type === 'data-activity') {
      if (of.replace !== false || !activities.has(key))
        activities.set(key, { of, document: patchedDocument(of.content) })
    } else if (type === 'data-activity-delta') activities.get(key)?.document.apply(of.patch)
  }
  const shown = [...activities.values()].map(({ of: { message_id, activity_type }, document }): SeenActivity => ({
    message_id,
    activity_type,
    content: document.value(),
  }))
  return { ...(state ? { state: state.value() } : {}), ...(shown.length > 0 ? { activities: shown } : {}) }
}

function seen(page: Page, version: Target, body: string): ClientView {
  const { messages, warnings, told } = page
  const answers = messages.filter(isAnswer)
  const last = answers.at(-1)
  const metadata = last?.metadata as MessageMetadata | undefined
  return {
    ...endOf(page, metadata, version, body),
    turns: answers.flatMap((message) => turnsOf(message, version)),
    ...documents(told),
    warnings: [...warnings, ...(answers.length > 1 ? ['one answer is several messages'] : [])],
    more: {
      id: last?.id,
      earlier: messages.filter((message) => !isAnswer(message)).length,
      usage: metadata?.usage ?? undefined,
      model: metadata?.model ?? undefined,
      ...(metadata?.factwire.end?.type === 'finished'
        ? { cause: metadata.factwire.end.cause, result: metadata.factwire.end.result }
        : {}),
    },
  }
}

function endOf(
  { status, error, finishReasons, messages }: Page,
  metadata: MessageMetadata | undefined,
  version: Target,
  body: string,
): Pick<ClientView, 'status' | 'code' | 'waitingFor' | 'rejected'> {
  const end = metadata?.factwire?.end
  if (status === 'error') {
    // What the stream itself reports is no refusal.
    if (!body.includes(`"type":"error","errorText":${JSON.stringify(error?.message)}`)) {
      return { status: 'running', rejected: error?.message ?? 'no reason' }
    }
    return { status: 'failed', ...(end?.type === 'failed' ? { code: end.code } : {}) }
  }
  if (!end) return { status: 'running' }
  if (end.type === 'finished' && end.cause?.type === 'cancelled') {
    return { status: body.includes('{"type":"abort"}') && !body.includes('{"type":"finish"') ? 'finished' : 'running' }
  }
  // A client is told the reason beside, from v6 on.
  if (version !== 'v5' && finishReasons.at(-1) === undefined) return { status: 'running' }
  if (end.type === 'failed') return { status: 'failed', code: end.code }
  if (end.type !== 'awaiting') return { status: 'finished' }
  const waits = new Set(waitingCalls(messages).map(({ id }) => id))
  const named = end.pending.map(({ tool_use_id }) => tool_use_id)
  // Both must say the same: what the page shows as waiting, and whom the run waits for.
  const shown = [...waits].every((id) => named.includes(id)) && named.every((id) => waits.has(id))
  return { status: 'waiting', waitingFor: shown ? named : ['the page shows others:', ...waits] }
}

interface LoosePart {
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly state?: string
  readonly input?: Json
  readonly rawInput?: string
  readonly output?: Json
  readonly errorText?: string
  readonly callProviderMetadata?: { readonly factwire?: { readonly given_up?: boolean } }
  readonly resultProviderMetadata?: { readonly factwire?: ResultMetadata }
  readonly approval?: { readonly reason?: string }
}
interface ResultMetadata {
  readonly content?: readonly Block[]
  readonly blocks?: boolean
  readonly data?: Json
}
interface Block {
  readonly type: string
  readonly text?: string
}

const partsOf = (message: UIMessage): readonly LoosePart[] => message.parts as unknown as readonly LoosePart[]

const isGivenUp = ({ callProviderMetadata }: LoosePart): boolean => callProviderMetadata?.factwire?.given_up === true

export function turnsOf(message: UIMessage, version: Target): readonly SeenTurn[] {
  const steps: LoosePart[][] = [[]]
  for (const part of partsOf(message)) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  const said = (parts: readonly LoosePart[], type: string): string =>
    parts.map((part) => (part.type === type ? (part.text ?? '') : '')).join('')
  return steps
    .filter((parts) => parts.length > 0)
    .map((parts) => ({
      text: said(parts, 'text'),
      reasoning: said(parts, 'reasoning'),
      calls: parts.flatMap((part) => (part.toolCallId === undefined || isGivenUp(part) ? [] : [callOf(part, version)])),
    }))
}

function callOf(part: LoosePart, version: Target): SeenCall {
  const { type, toolCallId = '', input = null, rawInput } = part
  const result = resultOf(part, version)
  const unparsed = input === null && typeof rawInput === 'string' && version !== 'v7' ? { unparsed: rawInput } : {}
  return {
    id: toolCallId,
    name: type.slice('tool-'.length),
    arguments: input,
    ...unparsed,
    ...(result ? { result } : {}),
  }
}

const textIn = (blocks: readonly Block[]): string =>
  blocks.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('')

function resultOf(part: LoosePart, version: Target): SeenResult | undefined {
  const { state, output = null, errorText = '', resultProviderMetadata, approval } = part
  const { content, blocks, data } = resultProviderMetadata?.factwire ?? {}
  switch (state) {
    case 'output-available': {
      if (blocks || (version === 'v5' && isBlocks(output)))
        return { text: textIn(output as unknown as readonly Block[]) }
      if (content) return { text: textIn(content), ...(data === true ? { data: output } : {}) }
      return typeof output === 'string' ? { text: output } : { text: JSON.stringify(output), data: output }
    }
    case 'output-error':
      return { text: content ? textIn(content) : errorText, is_error: true, ...(data === undefined ? {} : { data }) }
    case 'output-denied':
      return { text: approval?.reason ?? '', is_error: true, denied: true }
    default:
      return undefined
  }
}

const isBlocks = (output: Json): boolean =>
  Array.isArray(output) &&
  output.length > 0 &&
  output.every((block: Json) => typeof block === 'object' && block !== null && 'type' in block)
