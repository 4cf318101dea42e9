/** The event that ends a segment: how it ended, whom it waits for, what its models cost. */
import {
  type Awaiting,
  type Pending,
  type RunContext,
  type RunFailed,
  type RunFinished,
  isJsonObject,
} from '@factwire/core'
import { match } from 'ts-pattern'
import type { AgUiEvent, RunFinishedEvent } from './wire.ts'
import type { FactwireMetadata, Metadata } from './wire-message.ts'
import type { Interrupt, Outcome, Usage } from './wire-run.ts'

export interface EndContext {
  readonly run: RunContext
  readonly target: '1.0' | '0.0.59'
  /** Whom an awaiting run waits for. */
  readonly pending: readonly Pending[]
  readonly usage: { readonly usage?: readonly Usage[] }
  /** The id under which the client knows a call. */
  wireId(callId: string): string
}

export function endEvent(fact: Awaiting | RunFinished | RunFailed, context: EndContext): AgUiEvent {
  const { run, target, usage } = context
  const finished = (parts: Omit<RunFinishedEvent, 'type' | 'threadId' | 'runId'>): RunFinishedEvent => ({
    type: 'RUN_FINISHED',
    threadId: run.threadId,
    runId: run.runId,
    ...parts,
  })
  return match(fact)
    .returnType<AgUiEvent>()
    .with({ type: 'run_failed' }, ({ code, message }) => ({ type: 'RUN_ERROR', message, code, ...usage }))
    .with({ type: 'run_finished' }, ({ result, exhausted, cause }) => {
      const cancelled = cause?.type === 'cancelled' && target === '1.0'
      return finished({
        ...(result === undefined || result === null ? {} : { result }),
        ...(cancelled ? { outcome: { type: 'cancelled' } } : {}),
        ...usage,
        ...metadata({
          ...(exhausted ? { exhausted } : {}),
          ...(cause && cause.type !== 'natural_end' ? { cause } : {}),
        }),
      })
    })
    .with({ type: 'awaiting' }, () => {
      const outcome = awaitingOutcome(context)
      return finished({ ...(outcome ? { outcome } : {}), ...usage, ...metadata(awaitingMore(context)) })
    })
    .exhaustive()
}

function awaitingOutcome({ pending, target, wireId }: EndContext): Outcome | undefined {
  const approvals = pending.filter(({ kind }) => kind === 'approval')
  if (approvals.length > 0) {
    return { type: 'interrupt', interrupts: approvals.map((entry) => interrupt(entry, wireId(entry.tool_use_id))) }
  }
  const ids = pending.map(({ tool_use_id }) => wireId(tool_use_id))
  return target === '1.0' && ids.length > 0 ? { type: 'success', pendingToolCallIds: ids } : undefined
}

/** Whom the run waits for, where the outcome cannot say it, or not all of it: for nobody, or for the client beside an approval. */
function awaitingMore({ pending, target, wireId }: EndContext): FactwireMetadata {
  const kinds = new Set(pending.map(({ kind }) => kind))
  if (target === '1.0' && kinds.size === 1 && pending.every(isSaid)) return {}
  return { pending: pending.map((entry) => ({ ...entry, tool_use_id: wireId(entry.tool_use_id) })) }
}

/** The outcome has a place for all of it. */
function isSaid({ tool_use_id, kind, approval_id, response_schema, ...more }: Pending): boolean {
  if (kind === 'approval') {
    return approval_id !== tool_use_id && (response_schema === undefined || isJsonObject(response_schema))
  }
  return approval_id === undefined && response_schema === undefined && Object.keys(more).length === 0
}

function interrupt(pending: Pending, toolCallId: string): Interrupt {
  const { tool_use_id, approval_id, message, parameters, response_schema, expires_at } = pending
  return {
    id: approval_id ?? tool_use_id,
    reason: 'tool_approval',
    ...(message === undefined ? {} : { message }),
    toolCallId,
    ...(isJsonObject(response_schema) ? { responseSchema: response_schema } : {}),
    ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
    ...(parameters === undefined ? {} : { metadata: { factwire: { parameters } } }),
  }
}

function metadata(factwire: FactwireMetadata): { readonly metadata?: Metadata } {
  return Object.keys(factwire).length === 0 ? {} : { metadata: { factwire } }
}
