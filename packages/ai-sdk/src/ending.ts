/** How a segment ends: the reason that the wire has a word for, and in the message's metadata all of it, with what the models cost. */
import type { Awaiting, Inference, Pending, RunFailed, RunFinished, TokenUsage } from '@factwire/core'
import type { MessageMetadata, RunEnd } from './metadata.ts'
import { DONE, type FinishReason, type Target, type UiFrame, type UiUsage, USAGE_NAMES } from './wire.ts'

export interface Costs {
  add(inference: Inference): void
  /** As a part of metadata; empty where no model told anything. */
  part(): Pick<MessageMetadata, 'model' | 'usage'>
}

const COUNTS: readonly (readonly [keyof TokenUsage, keyof UiUsage])[] = Object.entries(USAGE_NAMES) as [
  keyof TokenUsage,
  keyof UiUsage,
][]

export function createCosts(): Costs {
  let model: string | undefined
  let usage: Partial<Record<keyof UiUsage, number>> | undefined
  return {
    add(inference) {
      if (inference.model !== '') model = inference.model
      for (const [from, to] of COUNTS) {
        const count = inference.usage?.[from]
        if (count === undefined) continue
        usage ??= {}
        usage[to] = (usage[to] ?? 0) + Math.max(0, count)
      }
    },
    part: () => ({ ...(model === undefined ? {} : { model }), ...(usage ? { usage } : {}) }),
  }
}

/** `pending`: whom an awaiting run waits for. */
export function endFrames(
  fact: Awaiting | RunFinished | RunFailed,
  target: Target,
  costs: Costs,
  pending: readonly Pending[],
): readonly UiFrame[] {
  const metadata = (end: RunEnd): MessageMetadata => ({ ...costs.part(), factwire: { end } })
  const finish = (reason: FinishReason, end: RunEnd): readonly UiFrame[] => [
    // Clients of v5 before 5.0.92 refuse the reason.
    { type: 'finish', ...(target === 'v5' ? {} : { finishReason: reason }), messageMetadata: metadata(end) },
    DONE,
  ]
  switch (fact.type) {
    case 'awaiting':
      return finish('tool-calls', { type: 'awaiting', pending })
    case 'run_finished': {
      const { exhausted, cause, result } = fact
      const why = { ...(cause ? { cause } : {}), ...(result === undefined ? {} : { result }) }
      const end: RunEnd = { type: 'finished', exhausted, ...why }
      // What somebody has ended does not finish, also where no reason can be given.
      if (cause?.type === 'cancelled') {
        return [{ type: 'message-metadata', messageMetadata: metadata(end) }, { type: 'abort' }, DONE]
      }
      return finish(reasonOf(fact), end)
    }
    case 'run_failed': {
      const { code, message } = fact
      return [
        // A client looks at nothing behind an error.
        { type: 'message-metadata', messageMetadata: metadata({ type: 'failed', code, message }) },
        { type: 'error', errorText: message === '' ? `The run failed (${code}).` : message },
        DONE,
      ]
    }
  }
}

function reasonOf({ exhausted, cause }: RunFinished): FinishReason {
  if (exhausted) return 'length'
  switch (cause?.type) {
    case undefined:
    case 'natural_end':
    case 'behavior_requested':
      return 'stop'
    case 'blocked':
      return 'content-filter'
    default:
      return 'other'
  }
}
