/** What stands in the parts of `streamText`, as neutral values: outputs, errors, counts of tokens, why it ended. */
import { type EndCause, type Json, stringify, type TokenUsage } from '@factwire/core'

export function causeOf(reason: string | undefined): EndCause {
  switch (reason) {
    case 'stop':
      return { type: 'natural_end' }
    case 'length':
      return { type: 'max_steps', code: 'length' }
    case 'content-filter':
      return { type: 'blocked', reason: 'content_filter' }
    // It stops so when the steps that it was allowed are used up.
    case 'tool-calls':
      return { type: 'max_steps' }
    case undefined:
      return { type: 'error', failure: { code: 'stream_truncated', message: 'the stream ended before its end' } }
    default:
      return { type: 'error', failure: { code: 'error', message: `the model finished as ${reason}` } }
  }
}

/** As it would be sent: what is no JSON, such as a date or a function, is what JSON makes of it. */
export function jsonOf(value: unknown): Json {
  const text = JSON.stringify(value)
  return text === undefined ? null : (JSON.parse(text) as Json)
}

export const textOfOutput = (output: unknown): string =>
  output === undefined ? '' : typeof output === 'string' ? output : stringify(jsonOf(output))

export const resultOf = (output: unknown): { readonly data?: Json } =>
  output === undefined || typeof output === 'string' ? {} : { data: jsonOf(output) }

export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? 'unknown error')
}

const COUNTS: readonly (readonly [keyof TokenUsage, readonly string[]])[] = [
  ['prompt_tokens', ['inputTokens']],
  ['completion_tokens', ['outputTokens']],
  ['total_tokens', ['totalTokens']],
  ['thinking_tokens', ['outputTokenDetails', 'reasoningTokens']],
  ['thinking_tokens', ['reasoningTokens']],
  ['cache_read_tokens', ['inputTokenDetails', 'cacheReadTokens']],
  ['cache_read_tokens', ['cachedInputTokens']],
  ['cache_creation_tokens', ['inputTokenDetails', 'cacheWriteTokens']],
]

export function tokensOf(usage: unknown): TokenUsage | undefined {
  const found: { -readonly [Name in keyof TokenUsage]: number } = {}
  for (const [name, path] of COUNTS) {
    let value = usage
    for (const key of path) value = (value as { readonly [key: string]: unknown } | null | undefined)?.[key]
    if (typeof value === 'number' && Number.isFinite(value)) found[name] ??= value
  }
  return Object.keys(found).length > 0 ? found : undefined
}
