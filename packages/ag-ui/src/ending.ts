/** How the events that end a run end it: why, whom it waits for, and what its models cost. */
import type { EndCause, Inference, OpenCall, Pending, TokenUsage } from '@factwire/core'
import type { RunFinishedEvent } from './wire.ts'
import type { Interrupt, Usage } from './wire-run.ts'

export type Ending =
  | { readonly type: 'awaiting'; readonly pending: readonly Pending[] }
  | { readonly type: 'ended'; readonly cause: EndCause }

/** `unanswered`: the calls of this run that have no result. Where the event names none, those are the client's, as clients take it. */
export function endingOf({ outcome, metadata }: RunFinishedEvent, unanswered: readonly OpenCall[]): Ending {
  const { cause, exhausted, pending: told } = metadata?.factwire ?? {}
  if (outcome?.type === 'cancelled') return { type: 'ended', cause: { type: 'cancelled' } }
  // Metadata stands only where it says more than the outcome can.
  if (told) return { type: 'awaiting', pending: told }
  if (outcome?.type === 'interrupt') return { type: 'awaiting', pending: outcome.interrupts.map(pendingOf) }
  const named = outcome?.pendingToolCallIds ?? []
  if (named.length > 0) return { type: 'awaiting', pending: named.map(clientCall) }
  if (cause) return { type: 'ended', cause }
  if (exhausted) return { type: 'ended', cause: { type: 'max_steps' } }
  if (unanswered.length > 0) return { type: 'awaiting', pending: unanswered.map(({ id }) => clientCall(id)) }
  return { type: 'ended', cause: { type: 'natural_end' } }
}

const clientCall = (id: string): Pending => ({ tool_use_id: id, kind: 'client' })

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

/** The calls that wait for the client to run them. */
export function clientCalls(pending: readonly Pending[]): ReadonlySet<string> {
  return new Set(pending.filter(({ kind }) => kind === 'client').map((entry) => entry.tool_use_id))
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
