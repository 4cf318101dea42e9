/** The Response object: what one segment of a run is to a client, at its beginning and at its end. */
import type { Failure, Inference, JsonObject, RunContext, RunFinished } from '@factwire/core'
import type { OutputItem } from './item.ts'
import type { Echo, Lifecycle } from './wire.ts'

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'cancelled' | 'failed'

export type ResponseObject = {
  readonly id: string
  readonly object: 'response'
  /** Unix time, seconds. */
  readonly created_at: number
  readonly status: ResponseStatus
  readonly error: { readonly code: string; readonly message: string } | null
  readonly incomplete_details: { readonly reason: string } | null
  readonly model: string
  readonly output: readonly OutputItem[]
  readonly usage: Usage | null
} & JsonObject

export type Usage = {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
}

/** How it stands: what is left out is null. */
export interface Standing {
  readonly status: ResponseStatus
  readonly output?: readonly OutputItem[]
  readonly failure?: Failure
  readonly reason?: string
  readonly usage?: Usage | null
}

/** Two segments of a run are two responses: where there are several, their ids are given. */
export const responseId = ({ runId }: Pick<RunContext, 'runId'>): string =>
  runId.startsWith('resp_') ? runId : `resp_${runId}`

export function responses(run: RunContext, id: string, echo: Echo): (standing: Standing) => ResponseObject {
  const { startedAt = 0, model, agentId } = run
  return ({ status, output = [], failure, reason, usage = null }) => ({
    id,
    object: 'response',
    created_at: Math.floor(startedAt / 1000),
    status,
    error: failure ? { code: failure.code, message: failure.message || `the run failed (${failure.code})` } : null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: null,
    max_output_tokens: null,
    model: model ?? agentId ?? 'agent',
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: null,
    store: true,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage,
    metadata: {},
    ...echo,
  })
}

export interface Ending {
  readonly type: Extract<Lifecycle, 'response.completed' | 'response.incomplete'>
  readonly status: ResponseStatus
  readonly reason?: string
}

/** How a run ended that did not fail. What was blocked is no whole answer, for whatever reason: the wire has one word for it. */
export function endingOf({ exhausted, cause }: RunFinished): Ending {
  if (exhausted) return { type: 'response.incomplete', status: 'incomplete', reason: 'max_output_tokens' }
  if (cause?.type === 'cancelled') return { type: 'response.incomplete', status: 'cancelled', reason: 'cancelled' }
  if (cause?.type === 'blocked') return { type: 'response.incomplete', status: 'incomplete', reason: 'content_filter' }
  return { type: 'response.completed', status: 'completed' }
}

export interface UsageTotal {
  add(inference: Inference): void
  /** Null where no model told anything. */
  total(): Usage | null
}

/** What all model calls of a segment cost together. */
export function createUsageTotal(): UsageTotal {
  let counted = false
  let input = 0
  let output = 0
  let total = 0
  let cached = 0
  let written = 0
  let thinking = 0

  return {
    add({ usage }) {
      if (!usage) return
      const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = usage
      counted = true
      input += prompt
      output += completion
      total += usage.total_tokens ?? prompt + completion
      cached += usage.cache_read_tokens ?? 0
      written += usage.cache_creation_tokens ?? 0
      thinking += usage.thinking_tokens ?? 0
    },
    total: () =>
      counted
        ? {
            input_tokens: input,
            input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
            output_tokens: output,
            output_tokens_details: { reasoning_tokens: thinking },
            total_tokens: total,
          }
        : null,
  }
}
