/** What is to become of a call: run it, refuse it, or wait for somebody. Nothing is done here. */
import { type Decision, isJsonObject, type Json, type Pending, type ToolUseBlock } from '@factwire/core'
import { within } from './race.ts'
import type { Stop } from './stop.ts'
import type { Approval, InputSchema, Tool } from './tool.ts'

export type Verdict =
  | {
      readonly type: 'run'
      readonly tool: Tool
      readonly input: Json
      /** Somebody has changed the arguments to these. */
      readonly changed?: Json
    }
  | { readonly type: 'refuse'; readonly reason: string }
  /** Somebody has to approve; then the tool runs. */
  | {
      readonly type: 'approve'
      readonly tool: Tool
      readonly input: Json
      /** The arguments as the model gave them. */
      readonly given: Json
      readonly asked: Approval
    }
  | { readonly type: 'client' }

export interface Tools {
  readonly server: ReadonlyMap<string, Tool>
  /** Names of tools that the client runs. */
  readonly client: ReadonlySet<string>
}

/** `told` is whom the call is known to wait for: who was asked is waited for, whatever one would say today, and nobody is asked again. */
export async function verdictOn(
  { name, input, raw_input }: ToolUseBlock,
  { server, client }: Tools,
  stop: Stop,
  told?: Pending,
): Promise<Verdict> {
  if (told?.kind === 'client') return { type: 'client' }
  const tool = server.get(name)
  if (!tool && !client.has(name)) return refuse(`There is no tool "${excerpt(name)}".`)
  if (input === null && raw_input !== undefined)
    return refuse(`The arguments are not valid JSON: ${excerpt(raw_input)}`)
  if (!isJsonObject(input))
    return refuse(`The arguments have to be a JSON object, and are ${excerpt(JSON.stringify(input))}`)
  if (!tool) return { type: 'client' }
  try {
    // What a tool or a schema does to its input must not be done to the thread.
    const own = structuredClone(input)
    const checked = tool.schema ? await within(stop, check(tool.schema, own)) : { input: own }
    if ('reason' in checked) return refuse(checked.reason)
    const asked = told ? askedBy(told) : await approvalOf(tool, checked.input, stop)
    if (asked === false) return { type: 'run', tool, input: checked.input }
    return { type: 'approve', tool, input: checked.input, given: input, asked }
  } catch (error) {
    return refuse(`The call could not be checked: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function approvalOf({ approval = false }: Tool, input: Json, stop: Stop): Promise<Approval | false> {
  const asked = typeof approval === 'function' ? await within(stop, approval(input)) : approval
  return asked === true ? {} : asked
}

function askedBy(pending: Pending): Approval {
  const { tool_use_id: _, kind: __, ...asked } = pending
  return asked
}

/** What becomes of a call that somebody has approved, maybe with other arguments. */
export async function approved(
  { tool, input, given }: Extract<Verdict, { type: 'approve' }>,
  { payload }: Decision,
  stop: Stop,
): Promise<Verdict> {
  if (payload === undefined || !tool.amend) return { type: 'run', tool, input }
  try {
    const changed = tool.amend(structuredClone(given), payload)
    if (JSON.stringify(changed) === JSON.stringify(given)) return { type: 'run', tool, input }
    if (!isJsonObject(changed)) return refuse('The arguments were changed to what is no JSON object.')
    const checked = tool.schema ? await within(stop, check(tool.schema, changed)) : { input: changed }
    if ('reason' in checked) return refuse(`Somebody changed the arguments. ${checked.reason}`)
    return { type: 'run', tool, input: checked.input, changed }
  } catch (error) {
    return refuse(`The arguments could not be changed: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Whether the time to decide is over. */
export function isExpired({ expires_at }: Approval, now: number): boolean {
  // What is no date never comes.
  return expires_at !== undefined && Date.parse(expires_at) <= now
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
