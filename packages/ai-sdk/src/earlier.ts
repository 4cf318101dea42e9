/** What the client has from before the segment: which message goes on, and which of its calls wait for a result or have one. */
import { distinctCalls, type Message } from '@factwire/core'
import { outputFrames } from './output.ts'
import { type OpenTurn, openTurn, unanswered } from './turn.ts'
import type { Target, UiFrame } from './wire.ts'

export interface Earlier {
  /** What goes on, its calls under the ids that the client knows. */
  readonly answer: OpenTurn
  readonly callIds: readonly string[]
  readonly messageIds: readonly string[]
  /** The earliest call of that id in the message that goes on that has no result. */
  find(id: string): string | undefined
  /** The same; it has one now. */
  take(id: string): string | undefined
  /** The message that goes on has a call of that id, and its result. */
  isAnswered(id: string): boolean
  /** The calls that still have no result. */
  open(): readonly string[]
  /**
   * The results of its last calls, which the client may have given itself. They count as somebody else's from now on: what it ran
   * last it would send again, as long as no other step follows.
   */
  results(target: Target): readonly UiFrame[]
}

/** `joined`: what waits in the thread is told with it. */
export function createEarlier(
  thread: readonly Message[],
  { history = thread, joined }: { readonly history?: readonly Message[] | undefined; readonly joined: boolean },
): Earlier {
  const { messages, open } = distinctCalls({ messages: thread, standing: { openCalls: unanswered(thread) } })
  const begun = new Set(history.map(({ id }) => id))
  const answer = openTurn(messages, messages.findLastIndex(({ id }) => begun.has(id)) + 1)
  const own = new Set(answer.messages.map(({ id }) => id))
  const waiting = new Map<string, string[]>()
  for (const { id, wireId, message_id } of open) {
    if (!joined && own.has(message_id)) waiting.set(id, [...(waiting.get(id) ?? []), wireId])
  }
  const blocks = answer.messages.flatMap(({ content }) => content)
  const results = blocks.filter((block) => block.type === 'tool_result')
  const answered = new Set(results.map(({ tool_use_id }) => tool_use_id))

  return {
    answer,
    callIds: messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
    ),
    messageIds: messages.map(({ id }) => id),
    find: (id) => waiting.get(id)?.[0],
    take: (id) => waiting.get(id)?.shift(),
    isAnswered: (id) => answered.has(id),
    open: () => [...waiting.values()].flat(),
    results(target) {
      const last = answer.messages.findLast(({ role }) => role === 'assistant')
      const made = new Set(last?.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])))
      return results
        .filter(({ tool_use_id }) => made.has(tool_use_id))
        .flatMap((result) => outputFrames(result.tool_use_id, result, target, true))
    },
  }
}
