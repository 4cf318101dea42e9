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

/** The decision about one pending call. */
export function decision(
  { tool_use_id, approval_id }: Pick<Pending, 'tool_use_id' | 'approval_id'>,
  { refused, payload }: Said,
): Decision {
  return {
    tool_use_id,
    ...(approval_id === undefined ? {} : { approval_id }),
    approved: !refused && isYes(payload),
    ...(payload === undefined ? {} : { payload }),
  }
}

/**
 * The result of a call that waits for approval is the client's word about it, never the tool's: JSON if it is any, else text. It is a yes
 * only where it says so: a client answers calls that it does not know, too.
 */
export function saidIn({ content, is_error }: Pick<ToolResultBlock, 'content' | 'is_error'>): Said {
  const payload = jsonIn(textOf(content))
  return { refused: is_error || !saysYes(payload), payload }
}

function saysYes(payload: Json): boolean {
  return payload === true || (isJsonObject(payload) && Object.keys(payload).some((key) => ANSWERS.has(key)))
}

function jsonIn(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** Nothing, true, or an object that does not say no. */
function isYes(payload: Json | undefined): boolean {
  if (payload === undefined || payload === true) return true
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return false
  return Object.entries(payload).every(([key, value]) => !ANSWERS.has(key) || value === true)
}

const ANSWERS: ReadonlySet<string> = new Set(['approved', 'accepted', 'confirmed'])
