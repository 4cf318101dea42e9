/** Counts of tokens, both ways: prompt includes what a cache had, `input_tokens` does not. */
import { type Inference, isObject, type TokenUsage } from '@factwire/core'
import type { MessagesUsage } from './wire.ts'

// ── Written ──

export interface UsageTotal {
  add(inference: Inference): void
  /** What all model calls of a run cost together. Zeros where no model told anything: clients expect numbers. */
  total(): MessagesUsage
}

export const NO_USAGE: MessagesUsage = { input_tokens: 0, output_tokens: 0 }

export function createUsageTotal(): UsageTotal {
  let input = 0
  let output = 0
  let created = 0
  let read = 0
  let thinking = 0

  return {
    add({ usage = {} }) {
      const cached = (usage.cache_creation_tokens ?? 0) + (usage.cache_read_tokens ?? 0)
      input += Math.max(0, (usage.prompt_tokens ?? 0) - cached)
      output += usage.completion_tokens ?? 0
      created += usage.cache_creation_tokens ?? 0
      read += usage.cache_read_tokens ?? 0
      thinking += usage.thinking_tokens ?? 0
    },
    total: () => ({
      input_tokens: input,
      output_tokens: output,
      ...(created > 0 ? { cache_creation_input_tokens: created } : {}),
      ...(read > 0 ? { cache_read_input_tokens: read } : {}),
      ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
    }),
  }
}

// ── Read ──

export interface UsageCount {
  see(usage: unknown): void
  /** Undefined when nothing was counted. */
  total(): TokenUsage | undefined
}

const FIELDS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const

export function usageCount(): UsageCount {
  const counts = new Map<(typeof FIELDS)[number] | 'thinking_tokens', number>()

  // Counts are of the whole message wherever they stand, and later ones correct earlier ones. Neither null nor zero takes one back.
  function set(name: (typeof FIELDS)[number] | 'thinking_tokens', raw: unknown): void {
    if (typeof raw !== 'number' || !Number.isFinite(raw) || raw < 0) return
    if (raw > 0 || !counts.has(name)) counts.set(name, Math.round(raw))
  }

  return {
    see(raw) {
      if (!isObject(raw)) return
      for (const name of FIELDS) set(name, raw[name])
      const details = raw['output_tokens_details']
      if (isObject(details)) set('thinking_tokens', details['thinking_tokens'])
    },
    total() {
      if (![...counts.values()].some((count) => count > 0)) return undefined
      const created = counts.get('cache_creation_input_tokens')
      const read = counts.get('cache_read_input_tokens')
      const thinking = counts.get('thinking_tokens')
      const prompt = (counts.get('input_tokens') ?? 0) + (created ?? 0) + (read ?? 0)
      const completion = counts.get('output_tokens') ?? 0
      return {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
        ...(read === undefined ? {} : { cache_read_tokens: read }),
        ...(created === undefined ? {} : { cache_creation_tokens: created }),
        ...(thinking === undefined ? {} : { thinking_tokens: thinking }),
      }
    },
  }
}
