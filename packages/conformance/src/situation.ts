/** What holds of a run, and of what became of its deltas. */
import type { AgentEvent } from '@factwire/core'
import { type Disturbance, disturb } from './disturb.ts'
import type { LiveRun } from './run.ts'

/** There are messages, and every one has a thought. Without one there is no fact that could take a shown thought back. */
export function allThink({ script }: LiveRun): boolean {
  const said = script
    .flatMap((item) => ('commit' in item ? item.commit.messages : []))
    .filter(({ role }) => role === 'assistant')
  return said.length > 0 && said.every(({ content }) => content.some((block) => block.type === 'thinking'))
}

/** Not every call that the live stream began arrived, or the first that arrived of one came after that of a later one. */
export function callsMisplaced(run: LiveRun, disturbance: Disturbance): boolean {
  const arrived = callsBegun(disturb(run, disturbance))
  return callsBegun(disturb(run, { kind: 'all' })).some((id, index) => arrived[index] !== id)
}

function callsBegun(events: readonly AgentEvent[]): string[] {
  const ids = events.flatMap(({ tier, event }) =>
    tier === 'delta' && event.type === 'tool_call_delta' ? [event.id] : [],
  )
  return [...new Set(ids)]
}

/** Calls of one message share an id: their fragments cannot be told apart, so what is shown of them is no prefix of either. */
export function callsShareIds({ script }: LiveRun): boolean {
  return script.some(
    (item) =>
      'commit' in item &&
      item.commit.messages.some(({ content }) => {
        const ids = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
        return new Set(ids).size < ids.length
      }),
  )
}

/**
 * Ids of calls that the client was to run, and that somebody else answered before the run waited for it. Where nothing can be taken back,
 * who was shown one cannot be told of success any more.
 */
export function callsTaken({ script }: LiveRun): ReadonlySet<string> {
  const commits = script.flatMap((item) => ('commit' in item ? [item.commit] : []))
  const offered = new Set(
    commits.flatMap(({ pending = [] }) =>
      pending.flatMap(({ kind, tool_use_id }) => (kind === 'client' ? [tool_use_id] : [])),
    ),
  )
  const blocks = commits.flatMap(({ messages }) => messages.flatMap(({ content }) => content))
  return new Set(
    blocks.flatMap((block) =>
      block.type === 'tool_result' && offered.has(block.tool_use_id) ? [block.tool_use_id] : [],
    ),
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
