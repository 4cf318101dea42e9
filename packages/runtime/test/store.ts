/** A store in memory: commits in their order, and what was shown. */
import {
  type AgentEvent,
  type Commit,
  type Committed,
  type Fact,
  fold,
  type FoldOptions,
  type Message,
  type Pending,
} from '@factwire/core'
import type { Output } from '../src/index.ts'

export interface MemoryStore extends Output {
  readonly commits: readonly Commit[]
  readonly events: readonly AgentEvent[]
  facts(): readonly Fact[]
  /** As one reads it again after a crash. */
  thread(): Committed
}

/** `before` are messages of earlier runs. */
export function memoryStore(before: readonly Message[] = []): MemoryStore {
  const commits: Commit[] = []
  const events: AgentEvent[] = []
  return {
    commits,
    events,
    async write(written) {
      if (written.commit) commits.push(written.commit)
      events.push(...written.events)
    },
    facts: () => events.flatMap(({ tier, event }) => (tier === 'fact' ? [event] : [])),
    thread() {
      let standing: Committed['standing'] = { openCalls: [] }
      let pending: readonly Pending[] = []
      for (const commit of commits) {
        standing = fold(commit, standing).after
        if (commit.pending) pending = commit.pending
      }
      const open = new Set(standing.openCalls.map(({ id }) => id))
      return {
        messages: [...before, ...commits.flatMap(({ messages }) => messages)],
        standing,
        pending: pending.filter(({ tool_use_id }) => open.has(tool_use_id)),
      }
    },
  }
}

/** The facts of the commits, folded again. */
export function refolded(commits: readonly Commit[], options?: FoldOptions): readonly Fact[] {
  let standing: Committed['standing'] = { openCalls: [] }
  return commits.flatMap((commit) => {
    const { facts, after } = fold(commit, standing, options)
    standing = after
    return facts
  })
}
