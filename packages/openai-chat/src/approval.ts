/** Turns a wait for approval into a call of a tool by which the client lets somebody decide. */
import type { Json, Pending } from '@factwire/core'

/** What is asked, of which call. */
export interface ApprovalCall {
  readonly id: string
  /** JSON text. */
  readonly arguments: string
}

export function approvalCall(
  { tool_use_id, approval_id, message, parameters }: Pending,
  call: { readonly name: string; readonly input: Json },
): ApprovalCall {
  const question: Json = {
    tool_call_id: tool_use_id,
    tool: call.name,
    arguments: call.input,
    ...(message === undefined ? {} : { message }),
    ...(parameters === undefined ? {} : { parameters }),
  }
  return { id: approval_id ?? tool_use_id, arguments: JSON.stringify(question) }
}
