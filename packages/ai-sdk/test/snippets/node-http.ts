import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { aiSdk } from '@factwire/ai-sdk'
import { writeTo } from '@factwire/sse'
import type { chatRoute } from './route.ts'

type Agent = Parameters<typeof chatRoute>[0]

export const nodeServer = (agent: Agent): Server =>
  createServer((request, response) => void answer(agent, request, response))

async function answer(agent: Agent, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  try {
    const asked = aiSdk.request(JSON.parse(Buffer.concat(pieces).toString()))
    const runId = crypto.randomUUID()
    await writeTo(response, aiSdk, agent(asked, runId), { threadId: asked.threadId, runId, history: asked.messages })
  } catch (error) {
    response.writeHead(400).end(JSON.stringify(aiSdk.error(400, { code: 'bad_request', message: String(error) })))
  }
}
