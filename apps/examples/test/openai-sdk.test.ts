import express from 'express'
import { OpenAI } from 'openai'
import { expect, test, vi } from 'vitest'
import { listen, shut } from '../../demo/src/loopback.ts'
import { provider } from '../../demo/src/provider.ts'
import { addRoute } from '../src/pages/openai-sdk.ts'
import { type AgentReading, askAgent } from './agent-client.ts'
import { serving } from './serving.ts'

// Servers and clients take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

function through(baseURL: string): Promise<AgentReading> {
  const app = express()
  addRoute(app, new OpenAI({ baseURL, apiKey: 'secret-key', maxRetries: 0 }), 'demo-large')
  return serving(app, (url) => askAgent(`${url}/agent`, 'The weather?'))
}

test('the model that the SDK asks is shown to the official client, calls included', async () => {
  const model = provider()
  try {
    const reading = await through(`${await listen(model)}/v1`)
    expect(reading.failure).toBeUndefined()
    expect(reading.warnings).toEqual([])
    expect(reading.said).toContain('Let me look at São Paulo and Zürich — one moment.')
    expect(reading.pending).toEqual(['call_1', 'call_2'])
  } finally {
    shut(model)
  }
})

test('what the SDK throws is a failed run, and stays inside', async () => {
  const { failure } = await serving((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"Incorrect API key: secret-key","type":"authentication_error"}}')
  }, through)
  expect(failure).toEqual({ code: 'stream_failed', message: 'the stream could not be read' })
})
