/** How a stream ended, from what its last chunk says: its reason, and where this package wrote it, all of it in the metadata. */
import {
  arrayOf,
  boolean,
  count,
  type EndCause,
  endCause,
  type Failure,
  FactwireError,
  type Inference,
  isObject,
  type Json,
  lenient,
  optionalJson,
  optional,
  type Pending,
  pending,
  type Read,
  record,
  string,
  type TokenUsage,
  variants,
} from '@factwire/core'
import type { RunEnd } from './metadata.ts'
import { type FinishChunk, USAGE_NAMES } from './wire.ts'

export type Ending =
  | { readonly type: 'awaiting'; readonly pending: readonly Pending[] }
  | { readonly type: 'ended'; readonly cause: EndCause; readonly result?: Json }

export interface Standing {
  /** There was a call. */
  readonly called: boolean
  /** What the calls without a result wait for, where nobody else runs them. */
  readonly open: readonly Pending[]
}

type Ended = Extract<Ending, { readonly type: 'ended' }>

export function endingOf({ finishReason, messageMetadata }: FinishChunk, { called, open }: Standing): Ending {
  const told = endIn(messageMetadata)
  if (told?.type === 'awaiting') return told
  if (told?.type === 'finished') {
    const { exhausted, cause = { type: exhausted ? 'max_steps' : 'natural_end' }, result } = told
    return ended(cause, result)
  }
  if (finishReason === 'length') return { type: 'ended', cause: { type: 'max_steps', code: 'length' } }
  if (open.length > 0) return { type: 'awaiting', pending: open }
  return { type: 'ended', cause: causeOf(finishReason, called) }
}

/** Of a stream that says that it was broken off. */
export function abortedIn(metadata: unknown): Ended {
  const told = endIn(metadata)
  return ended({ type: 'cancelled' }, told?.type === 'finished' ? told.result : undefined)
}

const ended = (cause: EndCause, result: Json | undefined): Ended => ({
  type: 'ended',
  cause,
  ...(result === undefined ? {} : { result }),
})

function causeOf(reason: FinishChunk['finishReason'], called: boolean): EndCause {
  switch (reason) {
    // Servers before 5.0.92 give none.
    case undefined:
    case 'stop':
      return { type: 'natural_end' }
    case 'length':
      return { type: 'max_steps', code: 'length' }
    case 'content-filter':
      return { type: 'blocked', reason: 'content_filter' }
    case 'interrupted':
      return { type: 'cancelled' }
    // A server stops so when the steps that it allows are used up: the calls of the last one are answered.
    case 'tool-calls':
      return called ? { type: 'max_steps' } : failed('the answer finishes with calls, and there are none')
    case 'error':
      return failed('the run failed')
    case 'other':
    case 'unknown':
      return failed('nobody says why the answer finished')
  }
}

const failed = (message: string): EndCause => ({ type: 'error', failure: { code: 'error', message } })

export function failureIn(metadata: unknown, errorText: string): Failure {
  const told = endIn(metadata)
  if (told?.type === 'failed') return { code: told.code, message: told.message }
  return { code: 'error', message: errorText }
}

const readEnd: Read<RunEnd> = variants<RunEnd, 'type'>('type', {
  awaiting: { pending: arrayOf(pending) },
  finished: { exhausted: boolean, cause: optional(endCause), result: optionalJson },
  failed: { code: string, message: string },
})

function endIn(metadata: unknown): RunEnd | undefined {
  const factwire = isObject(metadata) ? metadata['factwire'] : undefined
  if (!isObject(factwire)) return undefined
  try {
    return readEnd(factwire['end'], 'factwire.end')
  } catch (error) {
    if (error instanceof FactwireError) return undefined
    throw error
  }
}

type Metadata = { readonly [name: string]: unknown }

const counts = record<{ readonly [Name in keyof TokenUsage]-?: number | undefined }>({
  prompt_tokens: lenient(count),
  completion_tokens: lenient(count),
  total_tokens: lenient(count),
  thinking_tokens: lenient(count),
  cache_read_tokens: lenient(count),
  cache_creation_tokens: lenient(count),
})

/** Usage and model, where the metadata has them under these names; how long it took is not told. */
export function inferenceIn({ model, usage: given }: Metadata): { readonly inference?: Inference } {
  const usage = isObject(given) ? usageOf(given) : {}
  const named = typeof model === 'string' && model !== ''
  if (!named && Object.keys(usage).length === 0) return {}
  const told = Object.keys(usage).length > 0 ? { usage } : {}
  return { inference: { model: named ? model : '', ...told, duration_ms: 0 } }
}

function usageOf(given: Metadata): TokenUsage {
  const renamed = Object.entries(USAGE_NAMES).map(([ours, theirs]) => [ours, given[theirs]])
  const read = counts(Object.fromEntries(renamed), 'usage')
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}
