/** What neutral events say. */
import type { AgentEvent } from '@factwire/core'

/**
 * Listens to the events of one run, and gives the text and the arguments in each. Arguments count once: as fragments where a wire shows
 * them so, else with their call.
 */
export function listener(): (event: AgentEvent) => string {
  /** The call whose fragments came last. */
  let written: string | undefined
  return ({ event }) => {
    switch (event.type) {
      case 'text_delta':
        return event.delta
      case 'tool_call_delta':
        if (event.args_delta !== '') written = event.id
        return event.args_delta
      case 'tool_call':
        return event.id === written ? '' : (event.raw_input ?? JSON.stringify(event.input))
      default:
        return ''
    }
  }
}
