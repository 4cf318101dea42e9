/** Turns a wait for approval into a call of a tool by which the client lets somebody decide. */
import type { Json, JsonObject, Pending } from '@factwire/core'

/** What is asked, of which call. */
export interface ApprovalCall {
  readonly id: string
  readonly input: JsonObject
}

export function approvalCall(
  pending: Pending,
  call: { readonly name: string; readonly input: Json } | undefined,
): ApprovalCall {
  const { tool_use_id, message, parameters } = pending
  const input: JsonObject = {
    tool_use_id,
    tool: call?.name ?? '',
    input: call?.input ?? null,
    ...(message === undefined ? {} : { message }),
    ...(parameters === undefined ? {} : { parameters }),
  }
  return { id: approvalIdOf(pending), input }
}

const QUESTION = 'approval_'

/** The call itself is told under its own id, so the question has another. */
export const approvalIdOf = ({ tool_use_id, approval_id }: Pending): string => approval_id ?? QUESTION + tool_use_id

/** The id of the call that a question of this id is about; any other id is a call's own. */
export const approvedCall = (id: string): string => (id.startsWith(QUESTION) ? id.slice(QUESTION.length) : id)
