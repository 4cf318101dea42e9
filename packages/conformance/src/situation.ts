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

/** No message or call has an id that another has: a wire need not give any a new one. */
export function idsAreUnique(...runs: readonly (LiveRun | undefined)[]): boolean {
  const met = new Set<string>()
  let count = 0
  for (const item of runs.flatMap((run) => run?.script ?? [])) {
    if ('delta' in item) continue
    for (const { id, content } of item.commit.messages) {
      const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
      for (const each of [id, ...calls]) {
        met.add(each)
        count++
      }
    }
  }
  return met.size === count
}
