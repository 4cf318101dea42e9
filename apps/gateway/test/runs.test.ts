import { OpenAI } from 'openai'
import { expect, test } from 'vitest'
import { application, memoryStorage } from '../src/index.ts'
import { go, started, type Started } from './world.ts'

interface Listed {
  readonly items: readonly { readonly run_id: string; readonly thread_id: string }[]
  readonly next: string | null
}

const list = async ({ get }: Started, query = ''): Promise<Listed> =>
  (await (await get(`/v1/runs${query}`)).json()) as Listed

test('a run is begun, and answered on the SSE wire', async () => {
  const { post } = await started()
  const response = await post('/v1/runs', go('text', { thread_id: 'thread-1' }))
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    'x-thread-id': 'thread-1',
    'x-run-id': expect.stringMatching(/^run-[0-9a-f]{32}$/),
    'x-request-id': expect.stringMatching(/^request-[0-9a-f]{32}$/),
  })
  const text = await response.text()
  expect(text).toContain('"event_type":"run_start"')
  expect(text).toContain('run_finish')
})

test('runs are listed from the newest on, page by page, and of one thread', async () => {
  const gateway = await started()
  for (const thread_id of ['thread-1', 'thread-2', 'thread-1', 'thread-1']) {
    await (await gateway.post('/v1/runs', go('text', { thread_id }))).text()
  }
  const all = await list(gateway)
  expect(all.items.map(({ thread_id }) => thread_id)).toEqual(['thread-1', 'thread-1', 'thread-2', 'thread-1'])
  expect(all.next).toBeNull()
  const first = await list(gateway, '?limit=3')
  expect(first.next).toBe(all.items[2]?.run_id)
  expect((await list(gateway, `?limit=3&before=${first.next}`)).items).toEqual([all.items[3]])
  expect((await list(gateway, '?thread=thread-2')).items).toHaveLength(1)
  expect((await gateway.get('/v1/runs?limit=0')).status).toBe(400)
  expect((await gateway.get('/v1/runs?limit=201')).status).toBe(400)
})

test('two requests on one thread at once: one begins, the other is told which goes on', async () => {
  const { post } = await started({ pace: 30 })
  const ask = (): Promise<Response> => post('/v1/runs', go('text', { thread_id: 'thread-1' }))
  const [one, other] = await Promise.all([ask(), ask()])
  expect(new Set([one.status, other.status])).toEqual(new Set([200, 409]))
  const [begun, refused] = one.status === 200 ? [one, other] : [other, one]
  expect(await refused.json()).toMatchObject({ code: 'run_active', run_id: begun.headers.get('x-run-id') })
  expect(refused.headers.get('x-should-retry')).toBe('false')
  await begun.text()
})

test('a request that begins a run is not told what it has said, and one that asks for what it may have is', async () => {
  const gateway = await started()
  const input = {
    threadId: 'thread-1',
    runId: 'run-1',
    messages: [{ id: 'user-1', role: 'user', content: 'Hello there.' }],
    forwardedProps: { model: 'text' },
  }
  const [begins, again] = [await gateway.post('/v1/ag-ui', input), await gateway.post('/v1/ag-ui', input)]
  expect([await begins.text(), await again.text()].map((text) => text.includes('Hello there.'))).toEqual([false, true])
})

test('an AG-UI request that is sent a second time is shown its run, which is not run again', async () => {
  const gateway = await started()
  const messages = [{ id: 'user-1', role: 'user', content: 'Go.' }]
  const input = { threadId: 'thread-1', runId: 'run-1', messages, forwardedProps: { model: 'text' } }
  const texts = [await gateway.post('/v1/ag-ui', input), await gateway.post('/v1/ag-ui', input)]
  for (const response of texts) expect(await response.text()).toContain('RUN_FINISHED')
  expect((await list(gateway)).items).toHaveLength(1)
  const elsewhere = await gateway.post('/v1/ag-ui', { ...input, threadId: 'thread-2' })
  expect(elsewhere.status).toBe(409)
})

test('a thread by its header takes whole histories and single messages, and both go on', async () => {
  const gateway = await started()
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: `${gateway.url}/v1`,
    defaultHeaders: { 'x-thread-id': 'thread-1' },
  })
  const ask = (messages: OpenAI.ChatCompletionMessageParam[]): Promise<unknown> =>
    client.chat.completions.create({ model: 'text', messages })
  await ask([{ role: 'user', content: 'One.' }])
  await ask([{ role: 'user', content: 'Two.' }])
  await ask([
    { role: 'user', content: 'One.' },
    { role: 'assistant', content: 'Hello 🌍.' },
    { role: 'user', content: 'Three.' },
  ])
  const { messages } = (await (await gateway.get('/v1/threads/thread-1/messages?as=openai-chat')).json()) as {
    messages: readonly { role: string; content: string }[]
  }
  const said = messages.map(({ content }) => content)
  expect(said).toEqual(['One.', 'Hello 🌍.', 'Two.', 'Hello 🌍.', 'Three.', 'Hello 🌍.'])
})

test('a client that brings a tool of the name of a server tool does not get its calls', async () => {
  const { url } = await started()
  const client = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1` })
  const stream = client.chat.completions.stream({
    model: 'parallel-tools',
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [{ type: 'function', function: { name: 'look_up' } }],
  })
  const { choices } = await stream.finalChatCompletion()
  expect(choices[0]?.message).toMatchObject({ content: 'Let me see.\n\nIt is done.' })
  expect(choices[0]?.finish_reason).toBe('stop')
})

// ── Errors ──

test.each([
  ['POST', '/v1/chat/completions', '{'],
  ['POST', '/v1/chat/completions', '{"messages":1}'],
  ['POST', '/v1/chat/completions', '{"model":"nobody","messages":[{"role":"user","content":"x"}]}'],
])('%s %s with %s is refused in the words of its clients', async (_method, path, body) => {
  const answer = await (await started()).post(path, body)
  expect(await answer.json()).toEqual({
    error: {
      message: expect.any(String),
      type: expect.stringMatching(/_error$/),
      param: null,
      code: expect.any(String),
    },
  })
  expect(answer.headers.get('x-should-retry')).toBe('false')
})

test.each([
  ['/v1/nothing', 404, 'unknown_route'],
  ['/v1/runs/nobody', 404, 'unknown_run'],
  ['/v1/threads/nobody/messages', 404, 'unknown_thread'],
  ['/v1/runs/nobody/events?as=telex', 400, 'unknown_wire'],
  ['/v1/threads/nobody/messages?as=telex', 400, 'unknown_wire'],
  ['/v1/runs/%E0%A4%A/events?access_token=x', 401, 'unauthorized'],
  ['/v1/runs?limit=x', 400, 'invalid_value'],
])('GET %s is a problem: %i %s', async (path, status, code) => {
  const answer = await (await started()).get(path)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json'])
  expect(await answer.json()).toMatchObject({
    type: 'about:blank',
    title: expect.any(String),
    status,
    code,
    request_id: answer.headers.get('x-request-id'),
  })
})

test('a run that failed is not asked for again by a client that would', async () => {
  const gateway = await started()
  const client = new OpenAI({ apiKey: 'none', baseURL: `${gateway.url}/v1`, maxRetries: 3 })
  const asked = client.chat.completions.create({ model: 'unauthorized', messages: [{ role: 'user', content: 'Go.' }] })
  await expect(asked).rejects.toMatchObject({ status: 500, code: 'unauthorized' })
  expect((await list(gateway)).items).toHaveLength(1)
})

test('the application answers web requests without a server of node, and lets go of who leaves', async () => {
  const { gateway } = await started({ pace: 20 })
  const app = application(gateway)
  const ask = (body: object): Request =>
    new Request('http://localhost/v1/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json', host: 'localhost' },
      body: JSON.stringify(body),
    })
  const whole = await app.fetch(ask(go('parallel-tools')))
  expect(whole.headers.get('x-request-id')).toMatch(/^request-/)
  expect(await whole.text()).toContain('"type":"natural_end"')
  const left = await app.fetch(ask(go('approval')))
  const reader = left.body?.getReader()
  await reader?.read()
  const readers = (): number[] => [...gateway.tenants.values()].map(({ hub }) => hub.metrics().readers)
  expect(readers()).toEqual([1])
  await reader?.cancel()
  await expect.poll(readers).toEqual([0])
})

test('HEAD is refused, because it would open a stream for nobody', async () => {
  const { url } = await started()
  expect((await fetch(`${url}/v1/runs/x/events`, { method: 'HEAD' })).status).toBe(405)
})

// ── Going away ──

test('a server that goes away takes nothing new, and never says 503 to who reads events', async () => {
  const gateway = await started()
  const begun = await gateway.post('/v1/runs', go('approval'), { prefer: 'respond-async' })
  const { run_id } = (await begun.json()) as { run_id: string }
  expect((await gateway.get('/health/ready')).status).toBe(200)
  gateway.gateway.drain()
  expect((await gateway.get('/health/ready')).status).toBe(503)
  expect((await gateway.get('/health/live')).status).toBe(200)
  const refused = await gateway.post('/v1/runs', go('text'))
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-should-retry')]).toEqual([
    503,
    '2',
    null,
  ])
  const events = await gateway.get(`/v1/runs/${run_id}/events`)
  expect(events.status).toBe(200)
  await events.body?.cancel()
  for (const { hub } of gateway.gateway.tenants.values()) await hub.close()
  const late = await gateway.get(`/v1/runs/${run_id}/events`)
  expect([late.status, late.headers.get('content-type'), await late.text()]).toEqual([
    200,
    'text/event-stream',
    'retry: 2000\n',
  ])
})

test('a store that does not answer any more keeps no server from going', async () => {
  const never = { ...memoryStorage(), close: () => new Promise<void>(() => undefined) }
  const { close } = await started({ storage: async () => never, server: { lastMs: 100 } })
  const begun = performance.now()
  await close()
  expect(performance.now() - begun).toBeLessThan(5000)
})

test('models and metrics are there', async () => {
  const gateway = await started()
  const models = await new OpenAI({ apiKey: 'none', baseURL: `${gateway.url}/v1` }).models.list()
  expect(models.data.map(({ id }) => id)).toContain('parallel-tools')
  await (await gateway.post('/v1/runs', go('text'))).text()
  const metrics = await (await gateway.get('/metrics')).text()
  expect(metrics).toMatch(
    /^# TYPE factwire_hub_commits_total counter\nfactwire_hub_commits_total\{tenant="local"\} [1-9]/m,
  )
  for (const line of metrics.trim().split('\n'))
    expect(line).toMatch(/^(# TYPE \w+ (counter|gauge)|\w+\{tenant="local"\} [\d.]+)$/)
})
