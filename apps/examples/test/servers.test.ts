import { createServer, type RequestListener } from 'node:http'
import { agUi } from '@factwire/ag-ui'
import { OpenAI } from 'openai'
import { expect, test, vi } from 'vitest'
import { app as expressApp } from '../src/express.ts'
import { app as honoApp } from '../src/hono.ts'
import { handle } from '../src/node-http.ts'
import { refusal } from '../src/refusal.ts'
import { POST } from '../src/route.ts'
import { listen, shut } from '../../demo/src/loopback.ts'
import { askAgent } from './agent-client.ts'
import { serving, viewOf, web } from './serving.ts'

// Servers and clients take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const node: RequestListener = (request, response) => void handle(request, response)
const hono = web(honoApp.fetch)
const agents = { node, express: expressApp, route: web(POST) }
const chats = { node, express: expressApp, hono }

const post = (url: string, body: string): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

// ── AG-UI ──

test.each(Object.entries(agents))('%s answers the official AG-UI client', async (_name, listener) => {
  const reading = await serving(listener, (url) => askAgent(`${url}/agent`, 'good morning'))
  expect(reading).toMatchObject({ said: ['You said: good morning'], warnings: [] })
  expect(reading.failure).toBeUndefined()
})

test.each(Object.entries(agents))('%s tells the AG-UI client that the model broke off', async (_name, listener) => {
  const { said, failure } = await serving(listener, (url) => askAgent(`${url}/agent`, 'now crash'))
  expect(said).toEqual(['You said: now'])
  expect(failure).toMatchObject({ code: 'stream_failed' })
  expect(failure?.message).not.toContain('the model is gone')
})

const big = 'x'.repeat(2 * 1024 * 1024)
const doors = [
  ...Object.entries(agents).map(([name, listener]) => ({ name, listener, path: '/agent' })),
  ...Object.entries(chats).map(([name, listener]) => ({ name, listener, path: '/v1/chat/completions' })),
]

test.each(Object.entries(agents))('%s refuses what is no request, and says where', async (_name, listener) => {
  const answer = await serving(listener, (url) => post(`${url}/agent`, '{"threadId":"t","runId":7}'))
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ code: 'invalid_value', error: expect.stringMatching(/^runId: /) })
})

test.each(doors)('$name refuses what is no JSON at $path', async ({ listener, path }) => {
  expect((await serving(listener, (url) => post(url + path, '{'))).status).toBe(400)
})

test.each(doors)('$name does not read without end at $path', async ({ listener, path }) => {
  const messages = [{ id: 'u', role: 'user', content: big }]
  const body = JSON.stringify({ threadId: 't', runId: 'r', messages, tools: [], context: [] })
  const status = await serving(listener, (url) => post(url + path, body).then((answer) => answer.status, String))
  // A server that hangs up while it is still spoken to may be heard, or not.
  expect([413, 'TypeError: fetch failed']).toContain(status)
})

test('a server that fails does not say why', () => {
  const { status, headers, body } = refusal(agUi, new Error('password is hunter2'))
  expect(status).toBe(500)
  expect(headers).toEqual({ 'x-should-retry': 'false' })
  expect(JSON.stringify(body)).not.toContain('hunter2')
})

// ── Chat completions ──

const client = (url: string): OpenAI => new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })
const question = (content: string): OpenAI.ChatCompletionCreateParams => ({
  model: 'agent',
  messages: [{ role: 'user', content }],
})

test.each(Object.entries(chats))('%s streams to the official chat client', async (_name, listener) => {
  const answer = await serving(listener, (url) =>
    client(url)
      .chat.completions.stream({ ...question('good morning'), stream: true })
      .finalChatCompletion(),
  )
  expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'You said: good morning' } })
})

test.each(Object.entries(chats))('%s never ends a broken answer as a whole one', async (_name, listener) => {
  const answer = serving(listener, (url) =>
    client(url)
      .chat.completions.stream({ ...question('now crash'), stream: true })
      .finalChatCompletion(),
  )
  await expect(answer).rejects.toThrow('the stream broke off')
})

test.each(Object.entries(chats))('%s gives one whole answer where no stream was asked for', async (_name, listener) => {
  const [whole, broken] = await serving(listener, async (url) => [
    await post(`${url}/v1/chat/completions`, JSON.stringify(question('good morning'))),
    await post(`${url}/v1/chat/completions`, JSON.stringify(question('now crash'))),
  ])
  expect(await whole?.json()).toMatchObject({ choices: [{ message: { content: 'You said: good morning' } }] })
  expect(broken?.status).toBe(500)
})

test.each(Object.entries(chats))('%s is not asked again by a client that retries', async (_name, listener) => {
  let asked = 0
  const counting: RequestListener = (request, response) => {
    asked++
    listener(request, response)
  }
  const answer = serving(counting, (url) =>
    new OpenAI({ apiKey: 'none', baseURL: `${url}/v1` }).chat.completions.create(question('now crash')),
  )
  await expect(answer).rejects.toThrow('500')
  expect(asked).toBe(1)
})

// ── Server-sent events ──

test('node serves the SSE wire too', async () => {
  const view = await serving(node, async (url) => viewOf(await fetch(`${url}/events?question=good+morning`)))
  expect(view).toMatchObject({ status: 'finished', response: 'You said: good morning' })
  const lost = await serving(node, async (url) => viewOf(await fetch(`${url}/events?question=now+crash`)))
  expect(lost).toMatchObject({ status: 'failed', error: { code: 'stream_failed' } })
})

test('node answers 404 for anything else', async () => {
  const server = createServer(node)
  try {
    expect((await fetch(`${await listen(server)}/favicon.ico`)).status).toBe(404)
  } finally {
    shut(server)
  }
})
