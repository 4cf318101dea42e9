/** How the events that end a run end it: why, whom it waits for, and what its models cost. */
import type { EndCause, Inference, OpenCall, Pending, TokenUsage } from '@factwire/core'
import type { Interrupt, RunFinishedEvent, Usage } from './wire.ts'

export type Ending =
  | { readonly type: 'awaiting'; readonly pending: readonly Pending[] }
  | { readonly type: 'ended'; readonly cause: EndCause }

/** `unanswered`: the calls of this run that have no result. Where the event names none, those are the client's, as clients take it. */
export function endingOf({ outcome, metadata }: RunFinishedEvent, unanswered: readonly OpenCall[]): Ending {
  const { cause, exhausted, pending: told } = metadata?.factwire ?? {}
  if (outcome?.type === 'cancelled') return { type: 'ended', cause: { type: 'cancelled' } }
  if (outcome?.type === 'interrupt') {
    return { type: 'awaiting', pending: merged(outcome.interrupts.map(pendingOf), told) }
  }
  const named = outcome?.pendingToolCallIds ?? []
  if (told || named.length > 0) return { type: 'awaiting', pending: merged(named.map(clientCall), told) }
  if (cause) return { type: 'ended', cause }
  if (exhausted) return { type: 'ended', cause: { type: 'max_steps' } }
  if (unanswered.length > 0) return { type: 'awaiting', pending: unanswered.map(({ id }) => clientCall(id)) }
  return { type: 'ended', cause: { type: 'natural_end' } }
}

const clientCall = (id: string): Pending => ({ tool_use_id: id, kind: 'client' })

/** What the metadata says of a call says more than the outcome can. */
function merged(pending: readonly Pending[], told: readonly Pending[] = []): readonly Pending[] {
  const more = new Map(told.map((entry) => [entry.tool_use_id, entry]))
  const named = new Set(pending.map((entry) => entry.tool_use_id))
  return [
    ...pending.map((entry) => more.get(entry.tool_use_id) ?? entry),
    ...told.filter((entry) => !named.has(entry.tool_use_id)),
  ]
}

/** One that names no call is about the run: it stands under its own id. */
function pendingOf({ id, toolCallId, message, responseSchema, expiresAt, metadata }: Interrupt): Pending {
  const parameters = metadata?.factwire?.parameters
  const callId = toolCallId ?? id
  return {
    tool_use_id: callId,
    kind: 'approval',
    ...(id === callId ? {} : { approval_id: id }),
    ...(message === undefined ? {} : { message }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(responseSchema === undefined ? {} : { response_schema: responseSchema }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  }
}

/** One for each model. How long they took is not told. */
export function inferencesOf(usage: readonly Usage[] = []): readonly Inference[] {
  return usage.map((entry) => ({ model: entry.model ?? '', usage: tokensOf(entry), duration_ms: 0 }))
}

function tokensOf(usage: Usage): TokenUsage {
  const counts: readonly (readonly [keyof TokenUsage, number | undefined])[] = [
    ['prompt_tokens', usage.inputTokens],
    ['completion_tokens', usage.outputTokens],
    ['total_tokens', usage.totalTokens],
    ['cache_read_tokens', usage.cachedInputTokens],
    ['cache_creation_tokens', usage.cacheWriteInputTokens],
    ['thinking_tokens', usage.reasoningTokens],
  ]
  return Object.fromEntries(counts.filter(([, count]) => count !== undefined))
}
