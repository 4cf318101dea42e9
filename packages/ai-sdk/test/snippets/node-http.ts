import { createServer, type Server } from 'node:http'
import { aiSdk } from '@factwire/ai-sdk'
import { writeTo } from '@factwire/sse'
import type { chatRoute } from './route.ts'

export const nodeServer = (agent: Parameters<typeof chatRoute>[0]): Server =>
  createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    try {
      const asked = aiSdk.request(JSON.parse(Buffer.concat(pieces).toString()))
      const runId = crypto.randomUUID()
      await writeTo(response, aiSdk, agent(asked, runId), { threadId: asked.threadId, runId, history: asked.messages })
    } catch (error) {
      response.writeHead(400).end(JSON.stringify(aiSdk.error(400, { code: 'bad_request', message: String(error) })))
    }
  })
