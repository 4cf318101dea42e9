import { type AgentEvent, type Commit, runWriter, type Written } from '@factwire/core'

/** One run with its own loop. Whatever becomes true is stored before anybody hears of it. */
export async function* agent(
  runId: string,
  model: AsyncIterable<string>,
  store: (commit: Commit) => Promise<void>,
): AsyncGenerator<AgentEvent> {
  const run = runWriter({ runId })
  async function* publish({ events, commit }: Written): AsyncGenerator<AgentEvent> {
    if (commit) await store(commit)
    yield* events
  }
  try {
    for await (const token of model) yield* publish(run.text(token))
    yield* publish(run.toolCall('call-1', 'weather', '{"city":"Zürich"}'))
    yield* publish(run.commit())
    yield* publish(run.toolResult('call-1', '22 °C'))
    yield* publish(run.end())
  } catch (error) {
    yield* publish(run.end({ type: 'error', failure: { code: 'model_failed', message: String(error) } }))
  }
}
