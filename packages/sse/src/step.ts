/** What came since the last `step_start`, or since a message began without one. */
import type { Message } from '@factwire/core'
import type { Retelling } from './retelling.ts'

export interface Step {
  readonly id: string
  /** Whether it still takes content. */
  open: boolean
  begun: boolean
  committed: boolean
  /** Its message, once that is committed. */
  message: Message | undefined
  inferred: boolean
  /** While its committed message is told once more. */
  retold: Retelling | undefined
}

export function newStep(id: string): Step {
  return {
    id,
    open: true,
    begun: false,
    committed: false,
    message: undefined,
    inferred: false,
    retold: undefined,
  }
}
