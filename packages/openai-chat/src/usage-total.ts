/** What all model calls of a run cost together, in the wire's words. */
import type { Inference, Json } from '@factwire/core'

export interface UsageTotal {
  add(inference: Inference): void
  /** Zeros where no model told anything: a client that asked for usage expects numbers. */
  total(): Json
}

export function createUsageTotal(): UsageTotal {
  let prompt = 0
  let completion = 0
  let total = 0
  let cached = 0
  let thinking = 0

  return {
    add({ usage = {} }) {
      const input = usage.prompt_tokens ?? 0
      const output = usage.completion_tokens ?? 0
      prompt += input
      completion += output
      total += usage.total_tokens ?? input + output
      cached += usage.cache_read_tokens ?? 0
      thinking += usage.thinking_tokens ?? 0
    },
    total: () => ({
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: total,
      ...(cached > 0 ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
      ...(thinking > 0 ? { completion_tokens_details: { reasoning_tokens: thinking } } : {}),
    }),
  }
}
