/** Turns the end of a run into its finish reason. */
import type { RunFinished } from '@factwire/core'
import type { ChatFinishReason } from './wire.ts'

/** Of a run that ended by itself. */
export function finishReasonOf({ exhausted, cause }: RunFinished): ChatFinishReason {
  if (exhausted) return 'length'
  return cause?.type === 'blocked' ? 'content_filter' : 'stop'
}
