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
    for await (const token of model) void producer.write(writer.text(token))
    await producer.write(writer.end())
  }
  speak().catch((error: unknown) =>
    producer.write(writer.end({ type: 'error', failure: { code: 'model_failed', message: String(error) } })),
  )
  return runId
}

/** Its stream, for any number of readers, also for one that comes late or comes back. */
export async function events(runId: string, request: Request): Promise<Response> {
  return answer(await hub.attach(runId, sse, { lastEventId: request.headers.get('last-event-id') }))
}
