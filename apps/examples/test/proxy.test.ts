import { createServer, type RequestListener } from 'node:http'
import { expect, test, vi } from 'vitest'
import { listen, shut } from '../../demo/src/loopback.ts'
import { provider } from '../../demo/src/provider.ts'
import { proxy } from '../src/proxy.ts'
import { type AgentReading, askAgent } from './agent-client.ts'
import { serving, web } from './serving.ts'

// Servers and clients take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const through = (url: string): Promise<AgentReading> => {
  const ask = (request: Request): Promise<Response> => proxy(request, { url, model: 'demo-large', key: 'secret-key' })
  return serving(web(ask), (own) => askAgent(own, 'The weather?'))
}

async function throughDemo(query = ''): Promise<AgentReading> {
  const model = provider()
  try {
    return await through(`${await listen(model)}/v1/chat/completions${query}`)
  } finally {
    shut(model)
  }
}

const throughServer = (listener: RequestListener): Promise<AgentReading> => serving(listener, through)

test('what the provider says comes through to the official client, calls included', async () => {
  const reading = await throughDemo()
  expect(reading.failure).toBeUndefined()
  expect(reading.warnings).toEqual([])
  expect(reading.said).toContain('Let me look at São Paulo and Zürich — one moment.')
  expect(reading.pending).toEqual(['call_1', 'call_2'])
})

test('a provider that breaks off is a failed run', async () => {
  expect((await throughDemo('?cut')).failure).toMatchObject({ code: 'stream_failed' })
})

test('a provider that refuses is a failed run that says why', async () => {
  const { failure } = await throughServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"Incorrect API key","type":"authentication_error","code":"invalid_api_key"}}')
  })
  expect(failure).toMatchObject({ code: 'invalid_api_key', message: 'Incorrect API key' })
})

test('a provider that is not there is a failed run', async () => {
  const gone = createServer()
  const url = await listen(gone)
  shut(gone)
  expect((await through(url)).failure).toMatchObject({ code: 'stream_failed' })
})

test('the provider is asked with the key, and for what the client asked', async () => {
  let asked: unknown
  let key: string | undefined
  await throughServer((request, response) => {
    key = request.headers.authorization
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      asked = JSON.parse(body)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: [DONE]\n\n')
    })
  })
  expect(key).toBe('Bearer secret-key')
  expect(asked).toEqual({ model: 'demo-large', stream: true, messages: [{ role: 'user', content: 'The weather?' }] })
})
