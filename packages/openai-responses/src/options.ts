/** What a server says of a response beside its run. */
import type { Echo } from './wire.ts'

export interface OpenAiResponsesOptions {
  /** Names of the tools that the client brought: their calls are shown while they are written. */
  readonly clientTools?: readonly string[]
  /** Whether what was thought is told, as the summaries of reasoning items. Default true. */
  readonly reasoning?: boolean
  /** Whether the client asked for `reasoning.encrypted_content`. Default false. */
  readonly encryptedReasoning?: boolean
  /** Whose tools the agent's are said to be. Default: the agent's id, else `agent`. */
  readonly serverLabel?: string
  /** Id of the response. A run that goes on after it had waited is another response. Default: from the run's id. */
  readonly responseId?: string
  /** Fields of the request that the response repeats: `echo` of what `request` gives. */
  readonly echo?: Echo
  /** Whether `[DONE]` closes the stream. Default false. */
  readonly done?: boolean
  /**
   * The stream can be told again from the facts, with the same places. Then it has the order of the facts: calls are told once they are
   * committed, and events are numbered by what they say. Needs facts with what was thought. Default: as it comes, numbered one by one.
   */
  readonly resumable?: boolean
  /** Only what a client has not seen that has read up to that number of a stream which is `resumable`. The end is always told. */
  readonly startingAfter?: number
}
