/** The output items that are written, spelled as the wire spells them. Aliases where they have to be JSON to the compiler. */

export type OutputItem = MessageItem | ReasoningItem | FunctionCallItem | McpCallItem | McpApprovalRequestItem

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export type MessageItem = {
  readonly id: string
  readonly type: 'message'
  readonly status: ItemStatus
  readonly role: 'assistant'
  readonly content: readonly OutputText[]
}
export type OutputText = {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly []
  readonly logprobs: readonly []
}

/** A thought. Its words are told as its summary, which is what clients show. */
export type ReasoningItem = {
  readonly id: string
  readonly type: 'reasoning'
  readonly summary: readonly SummaryText[]
  /** What a provider wants back. */
  readonly encrypted_content?: string
}
export type SummaryText = { readonly type: 'summary_text'; readonly text: string }

/** A call that the client is to run. Its result comes back under `call_id`. */
export type FunctionCallItem = {
  readonly id: string
  readonly type: 'function_call'
  readonly status: ItemStatus
  readonly arguments: string
  readonly call_id: string
  readonly name: string
}

/** A call that the agent runs, with what came of it. */
export type McpCallItem = {
  readonly id: string
  readonly type: 'mcp_call'
  readonly status: ItemStatus | 'failed'
  /** The request that was said yes to, in an earlier response. */
  readonly approval_request_id: string | null
  readonly arguments: string
  readonly error: McpError | null
  readonly name: string
  readonly output: string | null
  readonly server_label: string
}
export type McpError = { readonly type: 'mcp_tool_execution_error'; readonly content: readonly ErrorText[] }
export type ErrorText = { readonly type: 'text'; readonly text: string }

/** A call that the agent runs once somebody agrees: the answer is a `mcp_approval_response`. */
export type McpApprovalRequestItem = {
  readonly id: string
  readonly type: 'mcp_approval_request'
  readonly arguments: string
  readonly name: string
  readonly server_label: string
}

export const outputText = (text: string): OutputText => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
})

export function reasoningItem(id: string, text?: string, encrypted?: string): ReasoningItem {
  return {
    id,
    type: 'reasoning',
    summary: text === undefined ? [] : [{ type: 'summary_text', text }],
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  }
}
