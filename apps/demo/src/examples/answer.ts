import { type AgentEvent, runWriter } from '@factwire/core'
import { respond, sse } from '@factwire/sse'

async function* agent(model: AsyncIterable<string>, runId: string): AsyncGenerator<AgentEvent> {
  const run = runWriter({ runId })
  for await (const token of model) yield* run.text(token).events
  yield* run.end().events
}

/** A web `Response`: the run as server-sent events, ended as failed if the model breaks off. */
export function answer(model: AsyncIterable<string>): Response {
  return respond(sse, agent(model, 'run-1'), { threadId: 'thread-1', runId: 'run-1' })
}
