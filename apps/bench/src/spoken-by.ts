/** What a neutral event says. */
import type { AgentEvent } from '@factwire/core'

/** The text or the arguments in an event. */
export function spokenBy({ event }: AgentEvent): string {
  if (event.type === 'text_delta') return event.delta
  return event.type === 'tool_call_delta' ? event.args_delta : ''
}
