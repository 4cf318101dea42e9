/** The port of a tool that the server runs. */
import type { ClientTool, ContentBlock, Decision, Json, Pending } from '@factwire/core'

export interface Tool extends ClientTool {
  /** Looks at the input before anything is done with it: zod, valibot, arktype, or anything else with the standard face. */
  readonly schema?: InputSchema
  /** Whether somebody has to say yes first. One that throws is a call that fails. Default false. */
  readonly approval?: boolean | ((input: Json) => boolean | Approval | Promise<boolean | Approval>)
  /**
   * The arguments of a call that was approved in some words, `payload`: what of them changes the arguments is the tool's to say, because
   * they come from the client. `schema` looks at them again, and the model is told. Default: as the model gave them.
   */
  readonly amend?: (input: Json, payload: Json) => Json
  /** Milliseconds. */
  readonly timeoutMs?: number
  /** Whether a call that was begun when the process died is run again. Default false: its result says that nobody knows. */
  readonly repeatable?: boolean
  run(input: Json, context: ToolContext): ToolGiven | Promise<ToolGiven>
}

/** What is asked, for whoever decides. */
export type Approval = Pick<Pending, 'approval_id' | 'message' | 'parameters' | 'response_schema' | 'expires_at'>

export interface ToolContext {
  readonly runId: string
  readonly threadId: string
  /** Unique in the thread, and the same if the call is run again. */
  readonly callId: string
  /** Aborts when the time is up or the run is to end. */
  readonly signal: AbortSignal
  /** What somebody said to it, where it had to be approved. */
  readonly decision?: Decision
  /** Shows what the tool prints. It is no part of the result. */
  output(fragment: string): void
}

/** A text, blocks, nothing; or more than the content. What it throws is an error result. */
export type ToolGiven = string | readonly ContentBlock[] | ToolAnswer | undefined | void

export interface ToolAnswer {
  /** Default: `data` as JSON. */
  readonly content?: string | readonly ContentBlock[]
  readonly data?: Json
  readonly is_error?: boolean
}

/** The face of schema libraries. @see https://standardschema.dev */
export interface InputSchema {
  readonly '~standard': {
    validate(value: unknown): SchemaVerdict | Promise<SchemaVerdict>
  }
}

export type SchemaVerdict =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
