/**
 * What a client asks of a run, in any wire: messages and decisions in, tools of its own, how it wants the answer.
 *
 * A client sends its whole history back, and it may be stale, doubled or made up. What the server keeps is told to the reader,
 * which then takes nothing of it from the client, and an answer only for what is still open, and once.
 */
import { textOf, type ToolResultBlock } from './content.ts'
import { isJsonObject, type Json, parseJson } from './json.ts'
import type { Pending } from './run.ts'
import type { Message } from './thread.ts'

/** What the server knows of the thread before it reads a request. */
export interface RequestOptions {
  /**
   * Ids of the messages that the server has. Absent where it keeps none: then the body is all there is. Where messages have no ids
   * on the wire, whatever stands up to the last one of the assistant counts as had, unless this is empty.
   */
  readonly known?: ReadonlySet<string>
  /** What the thread waits for. Absent where the server keeps no thread. */
  readonly open?: readonly Pending[]
}

/** The body of a request, read. Ids are absent where the wire has none: the server then makes them. */
export interface RunRequest {
  readonly threadId?: string
  readonly runId?: string
  readonly parentRunId?: string
  readonly model?: string
  /** False where the client wants one whole answer: `complete` of the protocol gives it. */
  readonly stream: boolean
  /** Those that the server does not have, results of the client's tools included. */
  readonly messages: readonly Message[]
  /** What was said to calls that the run waits for. */
  readonly decisions: readonly Decision[]
  /** Their calls are the client's to run: `pending_client`. */
  readonly tools: readonly ClientTool[]
  /** The client's copy of the state that it shares with the agent. */
  readonly state?: Json
}

/** A tool that the client runs. */
export interface ClientTool {
  readonly name: string
  readonly description?: string
  /** JSON Schema of the arguments. */
  readonly parameters?: Json
}

/** What somebody said to something that the run waits for. */
export interface Decision {
  readonly tool_use_id: string
  readonly approval_id?: string
  /** A plain yes: anything else, also words that might mean one, is none. `payload` is what was said. */
  readonly approved: boolean
  readonly payload?: Json
}

/** What somebody said, as a wire has it. */
export interface Said {
  /** Said to be a no by the wire itself, whatever the payload. */
  readonly refused: boolean
  readonly payload?: Json
}

/** The decision about one pending call: a yes where nothing was said but that it is settled, or what was said is a plain yes. */
export function decision(
  { tool_use_id, approval_id }: Pick<Pending, 'tool_use_id' | 'approval_id'>,
  { refused, payload }: Said,
): Decision {
  return {
    tool_use_id,
    ...(approval_id === undefined ? {} : { approval_id }),
    approved: !refused && (payload === undefined || yesOrNo(payload) === true),
    ...(payload === undefined ? {} : { payload }),
  }
}

/**
 * The result of a call that waits for approval is the client's word about it, never the tool's: JSON if it is any, else text. It is a yes
 * only where it says so: a client answers calls that it does not know, too.
 */
export function saidIn({ content, is_error }: Pick<ToolResultBlock, 'content' | 'is_error'>): Said {
  const payload = jsonIn(textOf(content))
  return { refused: is_error || yesOrNo(payload) !== true, payload }
}

function jsonIn(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/**
 * What was said about an approval: a yes is `true`, a plain word for it and nothing else, or an object with such a member and none that
 * says no. Undefined where it is neither a yes nor a no, which approves nothing.
 */
export function yesOrNo(payload: Json): boolean | undefined {
  if (typeof payload === 'boolean') return payload
  if (typeof payload === 'string') return WORDS.get(payload.trim().toLowerCase())
  if (!isJsonObject(payload)) return undefined
  const members = Object.entries(payload)
  if (members.some(([key, value]) => (AGAINST.has(key) && value !== false) || (FOR.has(key) && value !== true)))
    return false
  return members.some(([key]) => FOR.has(key)) ? true : undefined
}

const FOR: ReadonlySet<string> = new Set(['approved', 'approve', 'accepted', 'confirmed'])
const AGAINST: ReadonlySet<string> = new Set(['denied', 'deny', 'rejected', 'reject'])
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['yes', 'approve', 'approved'].map((word) => [word, true] as const),
  ...['no', 'deny', 'denied', 'reject', 'rejected'].map((word) => [word, false] as const),
])
