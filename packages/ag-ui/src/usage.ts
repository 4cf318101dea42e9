/** What the models of a segment cost: one entry a model, as the end of a run carries it. */
import type { Inference, TokenUsage } from '@factwire/core'
import type { Usage } from './wire-run.ts'

const NAMES = {
  prompt_tokens: 'inputTokens',
  completion_tokens: 'outputTokens',
  total_tokens: 'totalTokens',
  thinking_tokens: 'reasoningTokens',
  cache_read_tokens: 'cachedInputTokens',
  cache_creation_tokens: 'cacheWriteInputTokens',
} as const satisfies Record<keyof TokenUsage, keyof Usage>

export interface UsageSum {
  add(inference: Inference): void
  /** As a part of an end; empty where no model told anything. */
  part(): { readonly usage?: readonly Usage[] }
}

export function createUsageSum(): UsageSum {
  const byModel = new Map<string, Record<string, number>>()

  return {
    add({ model, usage }) {
      if (!usage) return
      const sum = byModel.get(model) ?? {}
      byModel.set(model, sum)
      for (const key of KEYS) {
        const count = usage[key]
        if (count !== undefined) sum[NAMES[key]] = (sum[NAMES[key]] ?? 0) + Math.max(0, count)
      }
    },
    part() {
      const entries = [...byModel].map(([model, sum]): Usage => ({ ...(model === '' ? {} : { model }), ...sum }))
      return entries.length > 0 ? { usage: entries } : {}
    },
  }
}

const KEYS = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'thinking_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
] as const satisfies readonly (keyof TokenUsage)[]
