/** A run whose commits come late: its producer writes the next message meanwhile, as over ports that are slow. */
import type { LiveRun, ScriptItem } from '@factwire/conformance'
import type { Commit, Delta } from '@factwire/core'

/** Each commit waits for so many of the fragments behind it, where they are of another message. */
export function overlapped(run: LiveRun, delays: readonly number[]): LiveRun {
  const script: ScriptItem[] = []
  let late: { readonly commit: Commit; left: number } | undefined
  let count = 0
  function arrive(): void {
    if (late) script.push({ commit: late.commit })
    late = undefined
  }
  for (const item of run.script) {
    if ('commit' in item) {
      arrive()
      const left = item.commit.state.type === 'running' ? (delays[count++ % delays.length] ?? 0) : 0
      late = { commit: item.commit, left }
      // The first begins the run.
      if (count === 1 || left === 0) arrive()
      continue
    }
    if (late && (late.left === 0 || !mayCome(item.delta, late.commit))) arrive()
    if (late) late.left--
    script.push(item)
  }
  arrive()
  return { ...run, script }
}

function mayCome(delta: Delta, { messages, snapshot, activities }: Commit): boolean {
  // A document is told as it is by then.
  if (snapshot !== undefined || activities) return false
  switch (delta.type) {
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_call_delta':
    case 'step_started':
      return messages.every(({ id }) => id !== delta.message_id)
    default:
      return false
  }
}
