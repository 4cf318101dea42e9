import { randomUUID } from 'node:crypto'
import { runWriter } from '@factwire/core'
import { answer, createHub, memoryStore } from '@factwire/hub'
import { sse } from '@factwire/sse'

const hub = createHub({ store: memoryStore(), owner: randomUUID() })

/** Begins a run, which goes on whoever reads it. Gives its id. */
export async function begin(model: AsyncIterable<string>): Promise<string> {
  const runId = randomUUID()
  const producer = await hub.produce({ threadId: 'thread-1', runId })
  const writer = runWriter({ runId })
  async function speak(): Promise<void> {
    for await (const token of model) {
      if (producer.signal.aborted) break
      void producer.write(writer.text(token))
    }
    // With what it was asked to end; nothing, where the model came to its own end.
    await producer.write(writer.end(producer.signal.reason))
  }
  speak().catch((error: unknown) => {
    void producer.write(writer.end({ type: 'error', failure: { code: 'model_failed', message: String(error) } }))
  })
  return runId
}

/** Asks it to end. False where it is over already. */
export const cancel = (runId: string): Promise<boolean> => hub.ask(runId, { type: 'cancelled' })

/** Its stream, for any number of readers, also for one that comes late or comes back. */
export async function events(runId: string, request: Request): Promise<Response> {
  return answer(await hub.attach(runId, sse, { lastEventId: request.headers.get('last-event-id') }))
}
