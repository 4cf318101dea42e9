/** Counts of tokens, added up. Two counts of which one is unknown are an unknown sum. */
import type { TokenUsage } from '@factwire/core'

const COUNTS: readonly (keyof TokenUsage)[] = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'thinking_tokens',
]

/** `total` is undefined before the first. */
export function addTokens(total: TokenUsage | undefined, next: TokenUsage): TokenUsage {
  if (!total) return next
  const sum: { -readonly [Key in keyof TokenUsage]: number } = {}
  for (const count of COUNTS) {
    const [left, right] = [total[count], next[count]]
    if (left !== undefined && right !== undefined) sum[count] = left + right
  }
  return sum
}
