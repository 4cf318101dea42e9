/** The same in an Express application, and with nothing but node. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import express, { type Express } from 'express'
import { answer } from './messages.ts'

export const app: Express = express()
app.post('/v1/messages', handle)

export async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await answer(request)
  response.writeHead(status, Object.fromEntries(headers))
  // A client that leaves ends the run.
  await pipeline(body ?? [], response).catch(() => undefined)
}
