import type { AgentEvent, RunContext } from '@factwire/core'
import { respond, sse } from '@factwire/sse'

type Agent = (signal: AbortSignal) => AsyncIterable<AgentEvent>

/** A run that is only for this reader: when the reader leaves, the model is stopped. */
export function whileWatched(agent: Agent, run: RunContext): Response {
  const leaving = new AbortController()
  const events = agent(leaving.signal)[Symbol.asyncIterator]()
  const watched: AsyncIterable<AgentEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: () => events.next(),
      async return() {
        leaving.abort()
        await events.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
  return respond(sse, watched, run)
}
