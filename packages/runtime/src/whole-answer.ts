/**
 * The one message of an answer that its wire tells in several commits, because the provider ran tools of its own in between.
 *
 * What the provider ran is its own affair: of its calls nothing is shown or kept, of what it said around them everything.
 */
import type { Commit, Delta, Message } from '@factwire/core'

export interface WholeAnswer {
  /** Whether the agent has anything to do with it. */
  concerns(delta: Delta): boolean
  /** What is committed while the answer goes on. */
  add(commit: Commit): void
  /** The commit that ends the answer, with its message whole. */
  end(commit: Commit): Commit
}

export function wholeAnswer(): WholeAnswer {
  const earlier: Message[] = []
  /** Ids of calls that the provider runs. */
  const elsewhere = new Set<string>()

  return {
    concerns(delta) {
      if (delta.type !== 'tool_call_delta') return true
      if (delta.disposition === 'executed') elsewhere.add(delta.id)
      return !elsewhere.has(delta.id)
    },

    add({ messages }) {
      earlier.push(...messages)
    },

    end(commit) {
      if (earlier.length === 0 && elsewhere.size === 0) return commit
      const said = [...earlier, ...commit.messages].filter(({ role }) => role === 'assistant')
      const [first] = said
      const content = said
        .flatMap((message) => message.content)
        .filter((block) => block.type !== 'tool_use' || !elsewhere.has(block.id))
      const message: readonly Message[] = first && content.length > 0 ? [{ ...first, content }] : []
      return { ...commit, messages: [...message, ...commit.messages.filter(({ role }) => role !== 'assistant')] }
    },
  }
}
