import fc from 'fast-check'
import { connect } from 'node:net'
import { createSseReader } from '@factwire/sse'
import { expect, test } from 'vitest'
import type { LogEntry } from '../src/index.ts'
import { sha256 } from '../src/tokens.ts'
import { go, started, type Started } from './world.ts'
import { raw, request, statusIn } from './raw.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const localhost = ({ port }: Started): string => `127.0.0.1:${port}`

// ── Names and origins ──

test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example', '0.0.0.0', ''])(
  'a server on the loopback is not called %j',
  async (host) => {
    const { port } = await started()
    expect(statusIn(await raw(port, request('GET /v1/models', { host })))).toBe(host === '' ? 400 : 403)
  },
)

test.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST:1234'])('it is called %s', async (host) => {
  const { port } = await started()
  expect(statusIn(await raw(port, request('GET /v1/models', { host })))).toBe(200)
})

test('a token is no leave to call it by another name, but for its health, or where any name was allowed', async () => {
  const tokens = [{ tenant: 'acme', sha256: sha256('acme-token-of-a-test') }]
  const authorization = 'Bearer acme-token-of-a-test'
  const status = async ({ port }: Started, host: string, path = '/v1/models'): Promise<number> =>
    statusIn(await raw(port, request(`GET ${path}`, { host, authorization })))
  const named = await started({ tokens, hosts: ['Runs.example'] })
  expect(await status(named, 'evil.example')).toBe(403)
  expect(await status(named, 'runs.example:443')).toBe(200)
  expect(await status(named, '10.1.2.3', '/health/live')).toBe(200)
  const plain = await started({ tokens })
  expect(await status(plain, 'evil.example')).toBe(403)
  const any = await started({ tokens, hosts: ['*'] })
  expect(await status(any, 'evil.example')).toBe(200)
})

test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
  'a page of %s may not ask',
  async (origin) => {
    const gateway = await started()
    const asked = request('POST /v1/runs', { host: localhost(gateway), origin, ...JSON_TYPE }, '{}')
    const answer = await raw(gateway.port, asked)
    expect(statusIn(answer)).toBe(403)
    expect(answer.toLowerCase()).not.toContain('access-control-allow-origin')
    const preflight = request('OPTIONS /v1/runs', { host: localhost(gateway), origin })
    expect(statusIn(await raw(gateway.port, preflight))).toBe(403)
  },
)

test('a page of an origin that is allowed may, and may come back to a position', async () => {
  const gateway = await started({ origins: ['https://app.example'] })
  const origin = 'https://app.example'
  const preflight = await raw(gateway.port, request('OPTIONS /v1/runs', { host: localhost(gateway), origin }))
  expect(statusIn(preflight)).toBe(204)
  expect(preflight).toContain('access-control-allow-origin: https://app.example')
  expect(preflight).toMatch(/access-control-allow-headers: [^\r]*authorization[^\r]*last-event-id/)
  const answer = await raw(gateway.port, request('GET /v1/models', { host: localhost(gateway), origin }))
  expect(answer).toContain('access-control-allow-origin: https://app.example')
})

test('a form of another site, which needs no leave to be sent, is no request', async () => {
  const { post } = await started()
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
    const answer = await post('/v1/runs', go('text'), { 'content-type': type })
    expect(answer.status).toBe(415)
  }
})

// ── Headers ──

test('headers that do not come to an end are cut off', async () => {
  const { port } = await started({ server: { headersMs: 200 } })
  const answer = await raw(port, 'GET /v1/runs HTTP/1.1\r\nhost: localhost\r\n', 'x-slow: ')
  expect(statusIn(answer)).toBe(408)
})

test('a body that does not come to an end is cut off', async () => {
  const gateway = await started({ server: { headersMs: 200, requestMs: 300 } })
  const head = request('POST /v1/runs', { host: localhost(gateway), ...JSON_TYPE, 'content-length': '100' })
  expect(statusIn(await raw(gateway.port, head, '{"messages":'))).toBe(408)
})

test('headers of more than may be are refused', async () => {
  const gateway = await started()
  const long = request('GET /v1/runs', { host: localhost(gateway), 'x-long': 'x'.repeat(17_000) })
  expect(statusIn(await raw(gateway.port, long))).toBe(431)
})

test.each([
  ['two lengths', { 'content-length': '2', 'transfer-encoding': 'chunked' }],
  ['a bare CR', { 'last-event-id': '5\rx: y' }],
  ['a NUL', { 'last-event-id': '5\u0000' }],
])('a request with %s is none', async (_what, headers) => {
  const gateway = await started()
  const answer = await raw(gateway.port, request('GET /v1/runs/run-1/events', { host: localhost(gateway), ...headers }))
  expect(statusIn(answer)).toBe(400)
})

test.each([
  ['DELETE', '/v1/runs', 'GET, POST'],
  ['GET', '/v1/runs/run-1/cancel', 'POST'],
  ['PUT', '/v1/chat/completions', 'POST'],
  ['POST', '/metrics', 'GET'],
  ['HEAD', '/v1/runs/run-1/events', 'GET'],
  ['HEAD', '/v1/messages', 'POST'],
])('%s %s is not served, and it is said what is', async (method, path, allow) => {
  const { url } = await started()
  const answer = await fetch(url + path, { method })
  expect([answer.status, answer.headers.get('allow')?.split(', ').toSorted().join(', ')]).toEqual([405, allow])
})

test('a head is given of what is no stream', async () => {
  const { url } = await started()
  for (const path of ['/health/live', '/health/ready', '/v1/models', '/v1/runs', '/metrics']) {
    const answer = await fetch(url + path, { method: 'HEAD' })
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, ''])
  }
  expect((await fetch(`${url}/v1/nothing`, { method: 'HEAD' })).status).toBe(404)
})

// ── Bodies ──

test('a body that breaks off is the fault of who sent it, and no error of the server', async () => {
  const entries: LogEntry[] = []
  const gateway = await started({ log: (entry) => void entries.push(entry) })
  const socket = connect(gateway.port, '127.0.0.1')
  const head = request('POST /v1/runs', { host: localhost(gateway), ...JSON_TYPE, 'content-length': '500' })
  socket.write(`${head}{"messages":`)
  await expect.poll(() => gateway.gateway.connections.count('local')).toBe(1)
  socket.destroy()
  await expect.poll(() => entries.length).toBeGreaterThan(0)
  expect(entries.map(({ event, status }) => [event, status])).toEqual([['request', 400]])
})

test.each(['/v1/runs', '/v1/ag-ui', '/v1/chat/completions', '/v1/runs/run-1/inputs', '/v1/runs/run-1/decision'])(
  'POST %s takes no body that is too long, too deep, or none at all',
  async (path) => {
    const { post, url } = await started({ limits: { bodyBytes: 2000, depth: 16 } })
    const status = async (body: string): Promise<number> => (await post(path, body)).status
    expect(await status(JSON.stringify(go('text', { more: 'x'.repeat(2000) })))).toBe(413)
    expect(await status('['.repeat(1000))).toBe(400)
    expect(await status(`{"messages":${'['.repeat(20)}${']'.repeat(20)}}`)).toBe(400)
    for (const body of ['', 'x', '{', 'null', '[]', '"x"', '1e999', '{"messages":1}', '{"messages":[null]}']) {
      expect([body, await status(body)]).toEqual([body, 400])
    }
    // In pieces, nobody says how long it is going to be.
    const pieces = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('"'.padEnd(500, 'x')))
      },
    })
    const chunked = { method: 'POST', headers: JSON_TYPE, body: pieces, duplex: 'half' } as RequestInit
    const answer = await fetch(url + path, chunked).then(
      ({ status: given }) => given,
      // The connection may be gone before all of it was sent.
      () => 413,
    )
    expect(answer).toBe(413)
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])
    expect((await fetch(url + path, { method: 'POST', headers: JSON_TYPE, body: bytes })).status).toBe(400)
  },
)

test.each(['__proto__', 'constructor', 'prototype'])('%s in a body reaches no prototype', async (key) => {
  const { post } = await started()
  const evil = `{"${key}":{"admin":true,"stream":true,"toString":"x"}}`
  const bodies = {
    '/v1/runs': `{"${key}":{"admin":true},"model":"text","messages":[{"role":"user","content":"Go.","${key}":{"admin":true}}],"tools":[{"name":"t","parameters":${evil}}]}`,
    '/v1/chat/completions': `{"${key}":{"admin":true},"model":"text","messages":[{"role":"user","content":"Go."}],"tools":[{"type":"function","function":{"name":"t","parameters":${evil}}}]}`,
    '/v1/ag-ui': `{"${key}":{"admin":true},"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"Go."}],"forwardedProps":{"model":"text"},"state":${evil},"tools":[{"name":"t","description":"","parameters":${evil}}]}`,
  }
  for (const [path, body] of Object.entries(bodies)) {
    const answer = await post(path, body)
    expect([path, answer.status]).toEqual([path, 200])
    await answer.text()
  }
  expect(({} as { admin?: unknown }).admin).toBeUndefined()
  expect(typeof {}.toString).toBe('function')
})

test('too many messages, tools and inputs are refused', async () => {
  const { post } = await started()
  const many = Array.from({ length: 1001 }, () => ({ role: 'user', content: 'x' }))
  expect((await post('/v1/runs', { messages: many })).status).toBe(413)
  expect((await post('/v1/runs/run-1/inputs', { messages: many.slice(0, 65) })).status).toBe(413)
  const tools = Array.from({ length: 129 }, (_, index) => ({ name: `t${index}` }))
  expect((await post('/v1/runs', go('text', { tools }))).status).toBe(413)
})

// ── Strings that come out again ──

const NASTY = fc.stringMatching(/^[a-z\r\n\0\u2028\u2029\u0085é🌍:"\\ ]{1,20}$/u)

test('whatever an id is, it is refused or stands where it belongs', async () => {
  const gateway = await started()
  await fc.assert(
    fc.asyncProperty(NASTY, async (id) => {
      const run = await gateway.post('/v1/runs', go('text', { thread_id: id }))
      const input = { threadId: id, runId: id, messages: [{ id: `m${id}`, role: 'user', content: id }] }
      const agent = await gateway.post('/v1/ag-ui', { ...input, forwardedProps: { model: 'text' } })
      const isFine = /^[\u0021-\u007e]+$/.test(id)
      for (const response of [run, agent]) {
        expect(response.status).toBe(isFine ? 200 : 400)
        const text = await response.text()
        if (isFine) framesIn(text)
      }
    }),
    { numRuns: 40 },
  )
})

test('whatever is said, each frame is one message of one line', async () => {
  const gateway = await started()
  await fc.assert(
    fc.asyncProperty(NASTY, async (words) => {
      const tools = [{ name: 'choose', description: words }]
      const asked = { ...go('client-tool', { tools }), messages: [{ role: 'user', content: words }] }
      const response = await gateway.post('/v1/runs', asked, { prefer: 'respond-async' })
      const { run_id } = (await response.json()) as { run_id: string }
      const said = { tool_call_id: 'call_c', action: 'resume', payload: words }
      await expect.poll(async () => (await gateway.post(`/v1/runs/${run_id}/decision`, said)).status).toBe(202)
      for (const wire of ['sse', 'ag-ui', 'openai-chat']) {
        const text = await (await gateway.get(`/v1/runs/${run_id}/events?as=${wire}`)).text()
        framesIn(text)
      }
    }),
    { numRuns: 15 },
  )
})

/** Every message is JSON, and no line is anything but a field. */
function framesIn(text: string): void {
  expect(text).not.toMatch(/[\r\0\u2028\u2029\u0085]/)
  for (const line of text.split('\n')) expect(line).toMatch(/^(?:$|data: |id: \d+$|: heartbeat$)/)
  const reader = createSseReader()
  const messages = [...reader.push(new TextEncoder().encode(text)), ...reader.end()]
  for (const { data } of messages) if (data !== '[DONE]') JSON.parse(data)
}
