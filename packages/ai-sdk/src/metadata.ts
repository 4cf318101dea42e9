/** What a UI message says of its run: its model and what that cost, and how the run stands. A client merges it, field by field. */
import type { EndCause, Json, Pending } from '@factwire/core'
import type { UiUsage } from './wire.ts'

export interface MessageMetadata {
  /** Of the last model call. Null where none was made since the last request. */
  readonly model?: string | null
  /** Of all model calls since the last request. */
  readonly usage?: UiUsage | null
  readonly factwire: { readonly end: RunEnd | null }
}

/** How the run stands that the message is of. Null while it goes on; absent where a stream broke off. */
export type RunEnd =
  | { readonly type: 'awaiting'; readonly pending: readonly Pending[] }
  | {
      readonly type: 'finished'
      readonly exhausted: boolean
      readonly cause?: EndCause
      readonly result?: Json
    }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
