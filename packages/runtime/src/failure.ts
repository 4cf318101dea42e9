/**
 * Turns everything that a provider can do wrong into a stable code, and says whether it is worth asking again.
 *
 * Providers have a thousand words for ten things. A run that fails says one of ours; the provider's own words are in its message.
 */
import type { Failure } from '@factwire/core'

export type FailureCode =
  // ── Worth asking again ──
  /** Too many requests, for now. */
  | 'rate_limited'
  /** The provider has no room, for now. */
  | 'overloaded'
  /** It took too long, silent or not. */
  | 'timeout'
  /** There was no connection. */
  | 'unreachable'
  /** An answer broke off, or held what is none. */
  | 'stream_interrupted'
  /** An answer that is whole and says nothing that can be used. */
  | 'invalid_answer'
  /** A fault of its own. */
  | 'provider_error'
  // ── For good ──
  | 'invalid_request'
  | 'context_overflow'
  | 'unauthorized'
  | 'model_not_found'
  | 'quota_exhausted'
  | 'content_filtered'
  /** The provider wants somebody to agree to a call of its own. */
  | 'approval_unsupported'

export interface ProviderFailure extends Required<Failure> {
  readonly code: FailureCode
  /** Why an answer broke off, in the words of the events that tell of it. */
  readonly cause: string
  /** How long the provider wants to be left alone. */
  readonly waitMs?: number
}

const TRANSIENT: ReadonlySet<FailureCode> = new Set([
  'rate_limited',
  'overloaded',
  'timeout',
  'unreachable',
  'stream_interrupted',
  'invalid_answer',
  'provider_error',
])

export const isTransient = ({ code }: ProviderFailure): boolean => TRANSIENT.has(code)

/** What a provider says of itself comes first, because statuses are often wrong. The order of these matters. */
const WORDS: readonly (readonly [RegExp, FailureCode])[] = [
  [/^stream_/, 'stream_interrupted'],
  [/^approval_unsupported$/, 'approval_unsupported'],
  [/^(empty_stream|missing_tool_calls|invalid_tool_call|malformed_function_call|unknown_finish)$/, 'invalid_answer'],
  [/context_(length|window)|context_overflow|too_many_tokens|prompt_too_long|string_above_max/, 'context_overflow'],
  [/quota|billing|credit|payment|http_402/, 'quota_exhausted'],
  [/rate_?limit|too_many_requests|throttl|http_429/, 'rate_limited'],
  [/overloaded|capacity|unavailable|insufficient_system_resource|http_503|http_529/, 'overloaded'],
  [/content_(filter|policy)|safety|moderation/, 'content_filtered'],
  [/auth|api_key|permission|forbidden|access_denied|http_40[13]/, 'unauthorized'],
  [/model_not_found|not_found_error|http_404/, 'model_not_found'],
  [/time_?out|deadline|http_(408|504)/, 'timeout'],
  [/^invalid_|bad_request|unsupported|http_4(00|13|15|22)/, 'invalid_request'],
]

const TOO_LONG = /context (length|window)|maximum context|too many tokens|prompt is too long|input is too long/i

/** A failure inside a stream, as its decoder names it. */
export function failureIn({ code, message = code }: Failure): ProviderFailure {
  return { code: codeOf(code, message), message, cause: causeOf(message) }
}

/** A response that is no answer. `said` is what its body says, as far as it could be read. */
export function failureOfStatus(status: number, said: Failure, headers: Headers, now: number): ProviderFailure {
  const byWord = said.code === 'provider_error' ? undefined : codeOf(said.code, said.message ?? '')
  const code =
    byWord && byWord !== 'provider_error' && byWord !== 'stream_interrupted' ? byWord : byStatus(status, said)
  const waitMs = waitOf(headers, now)
  const message = `HTTP ${status}${said.message ? `: ${said.message}` : ''}`
  return { code, message, cause: `provider ${status}`, ...(waitMs === undefined ? {} : { waitMs }) }
}

export function timedOut(cause: string, message: string): ProviderFailure {
  return { code: 'timeout', message, cause }
}

/** What `fetch` or a body threw. `begun`: there was a response. */
export function failureOfError(error: unknown, begun: boolean): ProviderFailure {
  const message = wordsOf(error)
  return { code: begun ? 'stream_interrupted' : 'unreachable', message, cause: causeOf(message) }
}

/** With its cause, because `fetch failed` says nothing. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

function codeOf(word: string, message: string): FailureCode {
  if (TOO_LONG.test(message)) return 'context_overflow'
  return WORDS.find(([pattern]) => pattern.test(word))?.[1] ?? 'provider_error'
}

function byStatus(status: number, { message = '' }: Failure): FailureCode {
  if (TOO_LONG.test(message)) return 'context_overflow'
  // A conflict or a lock is over in a moment.
  if (status === 409 || status === 425) return 'provider_error'
  const code = codeOf(`http_${status}`, '')
  if (code !== 'provider_error') return code
  return status >= 300 && status < 500 ? 'invalid_request' : 'provider_error'
}

function causeOf(message: string): string {
  if (/goaway|go_away|http\/2 going away|connection: close/i.test(message)) return 'goaway'
  const gateway = /\b(502|503|504)\b/.exec(message)
  return gateway ? `provider ${gateway[1]} mid-stream` : 'connection reset'
}

function waitOf(headers: Headers, now: number): number | undefined {
  const exact = amountOf(headers.get('retry-after-ms'))
  if (exact !== undefined) return exact
  const given = headers.get('retry-after')
  const seconds = amountOf(given)
  if (seconds !== undefined) return seconds * 1000
  const date = given === null ? Number.NaN : Date.parse(given)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function amountOf(text: string | null): number | undefined {
  const amount = text === null || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(amount) && amount >= 0 ? amount : undefined
}
