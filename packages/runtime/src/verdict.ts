/** What is to become of a call: run it, refuse it, or wait for somebody. Nothing is done here. */
import { isJsonObject, type Json, type Pending, type ToolUseBlock } from '@factwire/core'
import { within } from './race.ts'
import type { Approval, InputSchema, Tool } from './tool.ts'

export type Verdict =
  | { readonly type: 'run'; readonly tool: Tool; readonly input: Json }
  | { readonly type: 'refuse'; readonly reason: string }
  /** Somebody has to approve; then the tool runs. */
  | { readonly type: 'approve'; readonly tool: Tool; readonly input: Json; readonly asked: Approval }
  | { readonly type: 'client' }

export interface Tools {
  readonly server: ReadonlyMap<string, Tool>
  /** Names of tools that the client runs. */
  readonly client: ReadonlySet<string>
}

export async function verdictOn(
  { name, input, raw_input }: ToolUseBlock,
  { server, client }: Tools,
  stop: AbortSignal,
): Promise<Verdict> {
  const tool = server.get(name)
  if (!tool && !client.has(name)) return refuse(`There is no tool "${name}".`)
  if (input === null && raw_input !== undefined)
    return refuse(`The arguments are not valid JSON: ${excerpt(raw_input)}`)
  if (!isJsonObject(input))
    return refuse(`The arguments have to be a JSON object, and are ${excerpt(JSON.stringify(input))}`)
  if (!tool) return { type: 'client' }
  try {
    const checked = tool.schema ? await within(stop, check(tool.schema, input)) : { input }
    if ('reason' in checked) return refuse(checked.reason)
    const asked = typeof tool.approval === 'function' ? await within(stop, tool.approval(checked.input)) : tool.approval
    if (asked === undefined || asked === false) return { type: 'run', tool, input: checked.input }
    return { type: 'approve', tool, input: checked.input, asked: asked === true ? {} : asked }
  } catch (error) {
    return refuse(`The call could not be checked: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The entry for a call that waits. */
export function pendingOf(id: string, verdict: Verdict): Pending | undefined {
  if (verdict.type === 'client') return { tool_use_id: id, kind: 'client' }
  return verdict.type === 'approve' ? { ...verdict.asked, tool_use_id: id, kind: 'approval' } : undefined
}

async function check(
  schema: InputSchema,
  input: Json,
): Promise<{ readonly input: Json } | { readonly reason: string }> {
  const verdict = await schema['~standard'].validate(input)
  // What a schema gives may be no JSON, such as a date: the tool is the one that reads it.
  if (!verdict.issues) return { input: verdict.value as Json }
  const issues = verdict.issues.map(({ message, path = [] }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
    return place === '' ? message : `${place}: ${message}`
  })
  return { reason: `The arguments do not fit: ${issues.join('; ')}` }
}

const refuse = (reason: string): Verdict => ({ type: 'refuse', reason })

const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
