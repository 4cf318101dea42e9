/** How much room a delta takes while it waits. */
import type { Delta } from '@factwire/core'

/** Units of its text. Whatever it holds, it takes some. */
export function sizeOf(delta: Delta): number {
  switch (delta.type) {
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_output_delta':
      return 64 + delta.delta.length
    case 'tool_call_delta':
      return 64 + delta.args_delta.length
    case 'state_delta':
      return 64 + JSON.stringify(delta.delta).length
    case 'activity_delta':
      return 64 + JSON.stringify(delta.patch).length
    default:
      return 64
  }
}
