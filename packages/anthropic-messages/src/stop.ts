/** Turns the end of a run into its stop reason, and a stop reason into why a run ends. */
import type { EndCause, RunFinished } from '@factwire/core'
import type { StopReason } from './wire.ts'

/** Of a run that ended by itself. */
export function stopReasonOf({ exhausted, cause }: RunFinished): StopReason {
  if (exhausted) return (cause?.type === 'max_steps' && REASONS.get(cause.code ?? '')) || 'max_tokens'
  return cause?.type === 'blocked' ? 'refusal' : 'end_turn'
}

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['context_window', 'model_context_window_exceeded'],
  ['pause_turn', 'pause_turn'],
])

/** `calls`: it does not end, because there are calls to run. */
export function causeOf(stopReason: string): EndCause | 'calls' {
  switch (stopReason) {
    case 'end_turn':
    case 'stop_sequence':
      return { type: 'natural_end' }
    case 'tool_use':
      return 'calls'
    case 'max_tokens':
      return { type: 'max_steps', code: 'length' }
    case 'model_context_window_exceeded':
      return { type: 'max_steps', code: 'context_window' }
    // The provider wants to be asked again, with what it has said so far.
    case 'pause_turn':
      return { type: 'max_steps', code: 'pause_turn' }
    case 'refusal':
      return { type: 'blocked', reason: 'refusal' }
    default: {
      const message = `the provider stopped with "${stopReason.slice(0, 200)}"`
      return { type: 'error', failure: { code: 'unknown_finish', message } }
    }
  }
}
