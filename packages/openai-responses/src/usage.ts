/** Turns the usage of a response into one count: input includes cached, output includes reasoning. */
import { isObject, type TokenUsage } from '@factwire/core'

export function usageOf(raw: unknown): TokenUsage | undefined {
  if (!isObject(raw)) return undefined
  const input = countOf(raw['input_tokens'])
  const output = countOf(raw['output_tokens'])
  const total = countOf(raw['total_tokens'])
  if (input === undefined && output === undefined && total === undefined) return undefined
  const cached = detail(raw['input_tokens_details'], 'cached_tokens')
  const written = detail(raw['input_tokens_details'], 'cache_write_tokens')
  const thinking = detail(raw['output_tokens_details'], 'reasoning_tokens')
  return {
    ...(input === undefined ? {} : { prompt_tokens: input }),
    ...(output === undefined ? {} : { completion_tokens: output }),
    total_tokens: total ?? (input ?? 0) + (output ?? 0),
    ...(cached ? { cache_read_tokens: cached } : {}),
    ...(written ? { cache_creation_tokens: written } : {}),
    ...(thinking ? { thinking_tokens: thinking } : {}),
  }
}

const detail = (details: unknown, name: string): number | undefined =>
  isObject(details) ? countOf(details[name]) : undefined

const countOf = (raw: unknown): number | undefined =>
  typeof raw === 'number' && Number.isFinite(raw) && raw >= 0 ? Math.round(raw) : undefined
