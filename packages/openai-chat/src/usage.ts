/** Turns the usage objects of a stream into one count: prompt includes cached, completion includes thinking. */
import { isObject, type TokenUsage } from '@factwire/core'
import type { ChatUsage } from './wire.ts'

export interface UsageCount {
  see(usage: unknown): void
  /** Undefined when nothing was counted. */
  total(): TokenUsage | undefined
}

interface Counts {
  prompt?: number
  completion?: number
  cacheRead?: number
  cacheCreation?: number
  thinking?: number
}

export function usageCount(): UsageCount {
  const counts: Counts = {}
  // Only of the latest object: beside later counts an earlier sum would be wrong.
  let sum: number | undefined

  function see(raw: unknown): void {
    if (!isObject(raw)) return
    const usage: ChatUsage = raw
    const next: Counts = countsOf(usage)
    const total = countOf(usage.total_tokens)
    if (!next.prompt && !next.completion && !total) return
    // Usage is cumulative where it comes more than once. Neither null nor zero takes a count back.
    for (const name of ['prompt', 'completion', 'cacheRead', 'cacheCreation', 'thinking'] as const) {
      const value = next[name]
      if (value !== undefined && (value > 0 || counts[name] === undefined)) counts[name] = value
    }
    sum = total || undefined
  }

  return {
    see,
    total: () =>
      counts.prompt === undefined && counts.completion === undefined && !sum ? undefined : tokenUsage(counts, sum),
  }
}

function countsOf(usage: ChatUsage): Counts {
  const prompt = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const completion = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  const counts: Counts = {}
  set(counts, 'prompt', usage.prompt_tokens)
  set(counts, 'completion', usage.completion_tokens)
  set(counts, 'cacheRead', prompt['cached_tokens'] ?? usage.prompt_cache_hit_tokens)
  set(counts, 'cacheCreation', prompt['cache_write_tokens'])
  set(counts, 'thinking', completion['reasoning_tokens'])
  return counts
}

function set(counts: Counts, name: keyof Counts, raw: unknown): void {
  const count = countOf(raw)
  if (count !== undefined) counts[name] = count
}

function countOf(raw: unknown): number | undefined {
  return typeof raw === 'number' && Number.isFinite(raw) && raw >= 0 ? Math.round(raw) : undefined
}

function tokenUsage(counts: Counts, sum: number | undefined): TokenUsage {
  const { cacheRead, cacheCreation, thinking } = counts
  let { prompt, completion } = counts
  // xAI leaves reasoning out of completion, some gateways leave cached tokens out of prompt. Only the sum tells.
  const rest = sum === undefined ? 0 : sum - (prompt ?? 0) - (completion ?? 0)
  const cached = (cacheRead ?? 0) + (cacheCreation ?? 0)
  if (rest > 0 && rest === thinking) completion = (completion ?? 0) + rest
  else if (rest > 0 && rest === cached) prompt = (prompt ?? 0) + rest
  return {
    ...(prompt === undefined ? {} : { prompt_tokens: prompt }),
    ...(completion === undefined ? {} : { completion_tokens: completion }),
    total_tokens: sum ?? (prompt ?? 0) + (completion ?? 0),
    ...(cacheRead === undefined ? {} : { cache_read_tokens: cacheRead }),
    ...(cacheCreation === undefined ? {} : { cache_creation_tokens: cacheCreation }),
    ...(thinking === undefined ? {} : { thinking_tokens: thinking }),
  }
}
