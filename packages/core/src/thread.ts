/** The committed thread: its messages, and the commits that make it grow. */
import type { ContentBlock, TokenUsage, ToolUseBlock } from './content.ts'
import type { Json } from './json.ts'
import type { Pending, RunState } from './run.ts'

export type Role = 'system' | 'user' | 'assistant' | 'tool'

/** Calls live in the assistant's content as `tool_use`, their results in a tool message's content as `tool_result`. */
export interface Message {
  readonly id: string
  readonly role: Role
  readonly content: readonly ContentBlock[]
}

/** What one model call cost. */
export interface Inference {
  readonly model: string
  readonly usage?: TokenUsage
  readonly duration_ms: number
}

/** What an activity looks like now. */
export interface Activity {
  readonly message_id: string
  readonly activity_type: string
  readonly content: Json
  readonly replace?: boolean
  /** How many of its patches in this segment it holds. */
  readonly revision?: number
}

/** What becomes true at once. */
export interface Commit {
  readonly messages: readonly Message[]
  readonly state: RunState
  readonly pending?: readonly Pending[]
  readonly inference?: Inference
  /** The whole state of the agent, after this commit. */
  readonly snapshot?: Json
  /** How many patches of the state in this segment the snapshot holds. */
  readonly revision?: number
  readonly activities?: readonly Activity[]
  readonly continuation?: { readonly steered: boolean; readonly detail: Json }
  /** What the run as a whole gives, with the commit that ends it. */
  readonly result?: Json
}

/** A call that has no result yet. */
export interface OpenCall {
  readonly id: string
  readonly name: string
  readonly message_id: string
}

/** Where a thread stands between two commits: all that the next fold must know of what came before. */
export interface Standing {
  /** Absent before the first commit of a run. */
  readonly state?: RunState
  /** The step of a message ends with the last of its calls. */
  readonly openCalls: readonly OpenCall[]
}

/** The call of that id in a thread. Where ids repeat: the oldest that has no result, and the last where all have one. */
export function callIn(messages: readonly Message[], id: string): ToolUseBlock | undefined {
  const open: ToolUseBlock[] = []
  let last: ToolUseBlock | undefined
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type === 'tool_use' && block.id === id) {
      last = block
      open.push(block)
    } else if (block.type === 'tool_result' && block.tool_use_id === id) open.shift()
  }
  return open[0] ?? last
}

/**
 * The messages since the last request, which may have been results of calls. Where the thread before the request is known, a later
 * message of the user steers the run and is no request.
 */
export function sinceRequest(
  messages: readonly Message[],
  history: readonly Message[] | undefined,
): readonly Message[] {
  const earlier = history && new Set(history.map(({ id }) => id))
  const last = messages.findLastIndex(({ id, role }) => (earlier ? earlier.has(id) : role === 'user'))
  return messages.slice(last + 1)
}

/** The calls that a message makes, none of them answered yet. */
export function callsOf({ id: message_id, content }: Message): OpenCall[] {
  return content.filter((block) => block.type === 'tool_use').map(({ id, name }) => ({ id, name, message_id }))
}

/** The text of a call's arguments: as it was streamed, where that is not what their value gives. */
export const argumentsOf = ({ input, raw_input }: Pick<ToolUseBlock, 'input' | 'raw_input'>): string =>
  raw_input ?? JSON.stringify(input)
