import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type Agent, answer } from './route.ts'

export async function handle(agent: Agent, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await answer(agent, request)
  response.writeHead(status, Object.fromEntries(headers))
  // A client that leaves ends the stream of the run, and that is no failure of the server.
  await pipeline(body ?? [], response).catch(() => undefined)
}

export const nodeServer = (agent: Agent): Server =>
  createServer((request, response) => void handle(agent, request, response))
