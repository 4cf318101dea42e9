/** The model calls of a run, as its events tell of them. */
import type { Inference } from '@factwire/core'
import { given } from './given.ts'
import type { InferenceCompleteEvent } from './wire.ts'

export interface Costs {
  /** A run begins, or goes on after it had waited. */
  begin(): void
  /** The thread was told: calls that are told `again`, right after it, stand for all that the segment has told of before. */
  threadTold(): void
  /** `step`: what it is told in. After a reset its facts come again, and a call that is told twice in one is one. */
  add(event: InferenceCompleteEvent, step: object | undefined, again: boolean): void
  all(): readonly Inference[]
}

interface Cost {
  readonly inference: Inference
  readonly step: object | undefined
}

export function createCosts(): Costs {
  let costs: readonly Cost[] = []
  /** How many are of earlier segments. */
  let earlier = 0
  let replaces = false

  return {
    begin() {
      earlier = costs.length
    },
    threadTold() {
      replaces = true
    },
    add({ model, usage, duration_ms }, step, again) {
      const inference = { model, ...given('usage', usage), duration_ms }
      if (again && replaces) costs = costs.slice(0, earlier)
      replaces = false
      if (again || !costs.some((cost) => cost.step === step && isSame(cost.inference, inference)))
        costs = [...costs, { inference, step }]
    },
    all: () => costs.map(({ inference }) => inference),
  }
}

const isSame = (one: Inference, other: Inference): boolean => JSON.stringify(one) === JSON.stringify(other)
