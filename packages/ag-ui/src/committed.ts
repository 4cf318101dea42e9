/** What becomes of complete messages and results: commits, and the ids that are taken by them. */
import type { Message, Pending } from '@factwire/core'
import type { Calls } from './calls.ts'
import type { Draft, EarlyResult, Items } from './draft.ts'
import { hasResult } from './unfinished.ts'

export const RUNNING = { type: 'running' } as const

export interface Committed {
  /** A message of that id is committed, or will be with the end. */
  count(wireId: string): void
  has(wireId: string): boolean
  /** The id of the next message that has this one on the wire. */
  next(wireId: string): string
  message(message: Message, items: Items, draft?: Draft): void
  result(early: EarlyResult, items: Items): void
}

export function createCommitted(calls: Calls, isClientTool: (name: string) => boolean): Committed {
  /** How often a message id of the wire was committed. */
  const times = new Map<string, number>()

  function count(wireId: string): void {
    times.set(wireId, (times.get(wireId) ?? 0) + 1)
  }

  return {
    count,
    has: (wireId) => times.has(wireId),
    next(wireId) {
      const before = times.get(wireId)
      return before === undefined ? wireId : `${wireId}-${before + 1}`
    },
    message(message, items, draft) {
      count(draft?.wireId() ?? message.id)
      const pending = message.content.flatMap((block): Pending[] =>
        block.type === 'tool_use' && isClientTool(block.name) && !hasResult(draft, block.id)
          ? [{ tool_use_id: block.id, kind: 'client' }]
          : [],
      )
      items.push({ messages: [message], state: RUNNING, ...(pending.length === 0 ? {} : { pending }) })
      calls.add(message)
    },
    result({ messageId, storedId = messageId, block }, items) {
      calls.settle(block.tool_use_id)
      const message: Message = { id: storedId || `tool-${block.tool_use_id}`, role: 'tool', content: [block] }
      items.push({ messages: [message], state: RUNNING })
    },
  }
}
