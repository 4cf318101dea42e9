/** What a server says of an answer beside its run. */

export interface OpenAiChatOptions {
  /** Names of the tools that the client brought: their calls are shown while they are written. */
  readonly clientTools?: readonly string[]
  /** The field that reasoning is sent in. Default false: it is not sent. */
  readonly reasoning?: false | 'reasoning_content' | 'reasoning'
  /** Whether the client asked for usage. Default false. */
  readonly includeUsage?: boolean
  /** Name of a client tool that asks for approval. Without it a run that needs approval ends as `approval_unsupported`. */
  readonly approvalTool?: string
  /** Top-level key under which calls and results of the agent itself ride on chunks that say nothing else. Default: not sent. */
  readonly extension?: string
}
