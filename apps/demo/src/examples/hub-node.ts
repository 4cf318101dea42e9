import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { runWriter } from '@factwire/core'
import { answer, type Hub } from '@factwire/hub'
import { sse } from '@factwire/sse'

/** Asks the page where it is, and waits. */
export async function begin(hub: Hub): Promise<string> {
  const runId = randomUUID()
  const producer = await hub.produce({ threadId: runId, runId })
  const writer = runWriter({ runId })
  void producer.write(writer.toolCall('call-1', 'where', '{}', 'pending_client'))
  await producer.write(writer.await())
  return runId
}

/** Goes on where its thread stands. Somebody may have answered before. */
export async function goOn(hub: Hub, runId: string, place: string): Promise<void> {
  const producer = await hub.produce({ threadId: runId, runId })
  const writer = runWriter({ runId, history: producer.messages(), standing: producer.standing() })
  void producer.write(writer.toolResult('call-1', place))
  void producer.write(writer.text(`It rains in ${place}.`))
  await producer.write(writer.end())
}

async function events(hub: Hub, runId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const lastEventId = [request.headers['last-event-id'] ?? []].flat()[0] ?? null
  const { status, headers, body } = answer(await hub.attach(runId, sse, { lastEventId }))
  response.writeHead(status, Object.fromEntries(headers))
  // Who has seen all that there is would hear nothing before the next event.
  response.flushHeaders()
  await pipeline(body ?? [], response).catch(() => undefined)
}

export const hubServer = (hub: Hub): Server =>
  createServer((request, response) => {
    const runId = request.url?.replace('/runs/', '') ?? ''
    if (request.method === 'GET') return void events(hub, runId, request, response)
    const done = text(request).then((place) => goOn(hub, runId, place))
    const end = (status: number) => (): void => void response.writeHead(status).end()
    void done.then(end(204), end(409))
  })
