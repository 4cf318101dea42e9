/** Turns the finish reasons of a stream into the one way it ended. */

export type FinishKind = 'stop' | 'calls' | 'length' | 'filter' | 'error'

export interface Finish {
  readonly kind: FinishKind
  /** As the provider wrote it. */
  readonly raw: string
  /** Of an error. */
  readonly code?: string
}

const KINDS: ReadonlyMap<string, FinishKind> = new Map([
  ...named('stop', 'stop', 'stop_sequence', 'end_turn', 'eos', 'eos_token', 'complete', 'completed'),
  ...named('calls', 'tool_calls', 'tool_call', 'tool_use', 'function_call'),
  ...named('length', 'length', 'max_tokens', 'max_output_tokens', 'model_length', 'model_context_window_exceeded'),
  ...named('filter', 'content_filter', 'content_filtered', 'safety', 'image_safety', 'recitation', 'blocklist'),
  ...named('filter', 'prohibited_content', 'spii', 'sensitive', 'refusal', 'guardrail_intervened'),
  ...named('error', 'error', 'insufficient_system_resource', 'malformed_function_call', 'network_error'),
])

/** A later reason replaces an earlier one only if it is worse: a reason on an early chunk must not hide that the text was cut. */
const RANK: Readonly<Record<FinishKind, number>> = { stop: 0, calls: 1, length: 2, filter: 3, error: 4 }

export function finishOf(raw: string): Finish {
  const word = raw.toLowerCase().replaceAll('-', '_')
  const kind = KINDS.get(word)
  if (kind === undefined) return { kind: 'error', raw, code: 'unknown_finish' }
  if (kind !== 'error') return { kind, raw }
  return { kind, raw, code: word === 'error' ? 'provider_error' : word }
}

export function worse(known: Finish | undefined, next: Finish): Finish {
  return known && RANK[known.kind] >= RANK[next.kind] ? known : next
}

function named(kind: FinishKind, ...words: string[]): [string, FinishKind][] {
  return words.map((word) => [word, kind])
}
