/** What holds of a run, and of what became of its deltas. */
import { type Disturbance, disturb } from './disturb.ts'
import type { LiveRun } from './run.ts'

/** Every message has a thought. Without one there is no fact that could take a shown thought back. */
export function allThink({ script }: LiveRun): boolean {
  return script.every(
    (item) =>
      'delta' in item ||
      item.commit.messages.every(
        ({ role, content }) => role !== 'assistant' || content.some((block) => block.type === 'thinking'),
      ),
  )
}

/** A call or a message that the live stream began never arrived, so that the order of what did may be wrong. */
export function wholeCallLost(run: LiveRun, disturbance: Disturbance): boolean {
  const arrived = new Set<string>()
  for (const { tier, event } of disturb(run, disturbance)) {
    if (tier === 'delta' && event.type === 'tool_call_delta') arrived.add(event.id)
  }
  return run.script.some(
    (item) => 'delta' in item && item.delta.type === 'tool_call_delta' && !arrived.has(item.delta.id),
  )
}
