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

function appOver(baseURL: string, app = express()): express.Express {
  addRoute(app, new OpenAI({ baseURL, apiKey: 'secret-key', maxRetries: 0 }), 'demo-large')
  return app
}

const through = (baseURL: string, app = express()): Promise<AgentReading> =>
  serving(appOver(baseURL, app), (url) => askAgent(`${url}/agent`, 'The weather?'))

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

test('an application that parses every body has the route as well', async () => {
  const model = provider()
  try {
    const reading = await through(`${await listen(model)}/v1`, express().use(express.json()))
    expect(reading.failure).toBeUndefined()
    expect(reading.pending).toEqual(['call_1', 'call_2'])
  } finally {
    shut(model)
  }
})

test.each([
  ['{"threadId":', 'malformed_json'],
  ['{"threadId":7}', 'invalid_value'],
])('a client that posts %s is told what is wrong, as JSON', async (body, code) => {
  const [status, told] = await serving(appOver('http://127.0.0.1:1'), async (url) => {
    const headers = { 'content-type': 'application/json' }
    const refused = await fetch(`${url}/agent`, { method: 'POST', headers, body })
    return [refused.status, await refused.json()]
  })
  expect([status, told]).toEqual([400, { code, error: expect.any(String) }])
})

test('what the SDK throws is a failed run, and stays inside', async () => {
  const { failure } = await serving((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"Incorrect API key: secret-key","type":"authentication_error"}}')
  }, through)
  expect(failure).toEqual({ code: 'stream_failed', message: 'the stream could not be read' })
})
