import { aiSdk } from '@factwire/ai-sdk'
import { writeTo } from '@factwire/sse'
import express, { type Express } from 'express'
import type { chatRoute } from './route.ts'

export const expressApp = (agent: Parameters<typeof chatRoute>[0]): Express =>
  express().post('/api/chat', express.json({ limit: '4mb' }), async (request, response) => {
    const asked = aiSdk.request(request.body)
    const runId = crypto.randomUUID()
    const run = { threadId: asked.threadId, runId, history: asked.messages }
    await writeTo(response, aiSdk, agent(asked, runId), run)
  })
