/** With nothing but node: `createServer(handle).listen(3000)`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { answer } from './answer.ts'

export async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await answer(request)
  response.writeHead(status, Object.fromEntries(headers))
  // A client that leaves ends the stream of the run, and that is no failure of the server.
  if (body) await pipeline(Readable.fromWeb(body as ReadableStream), response).catch(() => undefined)
}
