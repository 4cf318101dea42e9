import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { EventSource } from 'eventsource'
import { expect, test } from 'vitest'
import { memoryStorage } from '../src/index.ts'
import { ticketFile } from '../src/ticket-file.ts'
import { type Tickets, tickets } from '../src/tickets.ts'
import { sha256 } from '../src/tokens.ts'
import { folder } from './kept.ts'
import { raw, request, statusIn } from './raw.ts'
import { go, started, type Started } from './world.ts'

const TOKENS = { acme: 'acme-token-of-a-test', beta: 'beta-token-of-a-test' } as const
type Name = keyof typeof TOKENS

const tokens = (Object.keys(TOKENS) as Name[]).map((tenant) => ({ tenant, sha256: sha256(TOKENS[tenant]) }))
const as = (name: Name): Readonly<Record<string, string>> => ({ authorization: `Bearer ${TOKENS[name]}` })
const two = (options: object = {}): Promise<Started> => started({ tokens, ...options })

const input = { threadId: 'thread-1', runId: 'run-1', messages: [{ id: 'u', role: 'user', content: 'Go.' }] }

interface Route {
  readonly method: string
  readonly path: string
  readonly body?: object
}

/** Every route that names something, with what it is asked there. */
const NAMED: readonly Route[] = [
  { method: 'GET', path: '/v1/runs/ID' },
  { method: 'GET', path: '/v1/runs/ID/events' },
  { method: 'GET', path: '/v1/runs/ID/events?as=ag-ui' },
  { method: 'GET', path: '/v1/runs/ID/events?as=openai-chat' },
  { method: 'POST', path: '/v1/runs/ID/inputs', body: { messages: [{ role: 'user', content: 'x' }] } },
  { method: 'POST', path: '/v1/runs/ID/decision', body: { tool_call_id: 'call_r', action: 'resume' } },
  { method: 'POST', path: '/v1/runs/ID/cancel', body: {} },
  { method: 'POST', path: '/v1/runs/ID/ticket', body: {} },
  { method: 'GET', path: '/v1/threads/THREAD/messages' },
  { method: 'GET', path: '/v1/threads/THREAD/messages?as=sse' },
  { method: 'GET', path: '/v1/audit?run=ID' },
]

const EVERY: readonly Route[] = [
  ...NAMED,
  { method: 'POST', path: '/v1/runs', body: go('text') },
  { method: 'POST', path: '/v1/ag-ui', body: input },
  { method: 'POST', path: '/v1/chat/completions', body: go('text') },
  { method: 'GET', path: '/v1/runs' },
  { method: 'GET', path: '/v1/audit' },
  { method: 'GET', path: '/v1/models' },
  { method: 'GET', path: '/metrics' },
]

function ask({ url }: Started, { method, path, body }: Route, headers: object): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

test.each(EVERY)('$method $path is for nobody without a good token', async (route) => {
  const gateway = await two()
  const bad = ['', 'Bearer', 'Bearer x', 'Basic YTpi', `Bearer ${TOKENS.acme}x`, `Bearer ${TOKENS.acme.slice(1)}`]
  for (const authorization of bad) {
    const answer = await ask(gateway, route, authorization === '' ? {} : { authorization })
    expect([authorization, answer.status]).toEqual([authorization, 401])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  }
})

test.each(NAMED)('$method $path of another tenant is the same as one that nobody has', async (route) => {
  const gateway = await two()
  const begun = await gateway.post('/v1/runs', go('approval', { thread_id: 'thread-of-acme' }), {
    ...as('acme'),
    prefer: 'respond-async',
  })
  const { run_id } = (await begun.json()) as { run_id: string }
  const named = (run: string, thread: string): Route => ({
    ...route,
    path: route.path.replace('ID', run).replace('THREAD', thread),
  })
  const foreign = await ask(gateway, named(run_id, 'thread-of-acme'), as('beta'))
  const unknown = await ask(gateway, named('run-of-nobody', 'thread-of-nobody'), as('beta'))
  expect(foreign.status).toBe(404)
  expect([foreign.status, await told(foreign)]).toEqual([unknown.status, await told(unknown)])
  const own = await ask(gateway, named(run_id, 'thread-of-acme'), as('acme'))
  expect([200, 201, 202, 409]).toContain(own.status)
  await own.body?.cancel()
})

async function told(answer: Response): Promise<unknown> {
  const { request_id: _, ...rest } = (await answer.json()) as { request_id?: string }
  return rest
}

test('two tenants may use the same ids, and neither sees the other', async () => {
  const gateway = await two()
  for (const name of ['acme', 'beta'] as const) {
    const text = await (
      await gateway.post('/v1/ag-ui', { ...input, forwardedProps: { model: 'text' } }, as(name))
    ).text()
    expect(text).toContain('RUN_FINISHED')
  }
  for (const name of ['acme', 'beta'] as const) {
    const { items } = (await (await gateway.get('/v1/runs', as(name))).json()) as { items: readonly unknown[] }
    expect(items).toHaveLength(1)
    expect(await (await gateway.get('/metrics', as(name))).text()).toContain(`tenant="${name}"`)
  }
})

test('tool results of one tenant never find a run of another', async () => {
  const gateway = await two()
  const tools = [{ type: 'function', function: { name: 'choose' } }]
  const asked = await gateway.post('/v1/chat/completions', { ...go('client-tool'), tools }, as('acme'))
  const { choices } = (await asked.json()) as { choices: readonly { message: object }[] }
  const messages = [
    { role: 'user', content: 'Go.' },
    choices[0]?.message,
    { role: 'tool', tool_call_id: 'call_c', content: 'red' },
  ]
  await (await gateway.post('/v1/chat/completions', { model: 'client-tool', messages, tools }, as('beta'))).text()
  const runs = async (name: Name): Promise<readonly { status: string }[]> =>
    ((await (await gateway.get('/v1/runs', as(name))).json()) as { items: readonly { status: string }[] }).items
  expect((await runs('acme')).map(({ status }) => status)).toEqual(['awaiting'])
  expect((await runs('beta')).map(({ status }) => status)).toEqual(['ended'])
})

test('a ticket opens the events of its run, for its tenant, and nothing else', async () => {
  const gateway = await two()
  const begin = async (): Promise<string> => {
    const begun = await gateway.post('/v1/runs', go('text'), { ...as('acme'), prefer: 'respond-async' })
    return ((await begun.json()) as { run_id: string }).run_id
  }
  const [run, other] = [await begin(), await begin()]
  const given = await gateway.post(`/v1/runs/${run}/ticket`, {}, as('acme'))
  const { access_token: ticket } = (await given.json()) as { access_token: string }
  const source = new EventSource(`${gateway.url}/v1/runs/${run}/events?access_token=${ticket}`)
  await new Promise<void>((resolve) =>
    source.addEventListener('message', ({ data }) => void (data.includes('run_finish') && resolve())),
  )
  source.close()
  const status = async (path: string): Promise<number> => (await gateway.get(path)).status
  expect(await status(`/v1/runs/${other}/events?access_token=${ticket}`)).toBe(401)
  expect(await status(`/v1/runs/${run}?access_token=${ticket}`)).toBe(401)
  expect(await status(`/v1/runs?access_token=${ticket}`)).toBe(401)
  const [tenant, until, mac] = ticket.split('.')
  expect(await status(`/v1/runs/${run}/events?access_token=beta.${until}.${mac}`)).toBe(401)
  expect(await status(`/v1/runs/${run}/events?access_token=${tenant}.${Number(until) + 1}.${mac}`)).toBe(401)
})

test('a ticket has to be used soon, and is good for half a day then, also after a restart', async () => {
  const file = join(folder(), 'tickets')
  const open = async (now: number): Promise<Tickets> => tickets(await ticketFile(file, now))
  const first = await open(0)
  const [used, other] = [first.give('acme', 'run-1', 0).token, first.give('acme', 'run-2', 0).token]
  expect(await first.tenantOf(used, 'run-1', 59_999)).toBe('acme')
  expect(await first.tenantOf(other, 'run-2', 60_000)).toBeUndefined()
  const again = await open(60_000)
  const end = 60_000 + 12 * 60 * 60 * 1000
  expect(await again.tenantOf(used, 'run-1', end - 1)).toBe('acme')
  expect(await again.tenantOf(used, 'run-1', end)).toBeUndefined()
  expect(await again.tenantOf(used, 'run-2', 60_000)).toBeUndefined()
  expect(await again.tenantOf(other, 'run-2', 60_000)).toBeUndefined()
  expect(statSync(file).mode & 0o077).toBe(0)
  // What is good no more is not kept.
  await open(end)
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1)
})

test('the runs of one tenant that go on at once are bounded, and another has its own bound', async () => {
  const gateway = await two({ limits: { runs: 1 }, pace: 50, storage: async () => memoryStorage() })
  const begin = (name: Name): Promise<Response> =>
    gateway.post('/v1/runs', go('text'), { ...as(name), prefer: 'respond-async' })
  expect((await begin('acme')).status).toBe(202)
  const refused = await begin('acme')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect((await begin('beta')).status).toBe(202)
})

test('the streams of one tenant are bounded: a start is refused, a reader is asked to come back', async () => {
  const gateway = await two({ limits: { readers: 1 } })
  const begun = await gateway.post('/v1/runs', go('approval'), as('acme'))
  const reader = begun.body?.getReader()
  await reader?.read()
  const refused = await gateway.post('/v1/runs', go('text'), as('acme'))
  expect(refused.status).toBe(503)
  const events = await gateway.get(`/v1/runs/${begun.headers.get('x-run-id')}/events`, as('acme'))
  expect([events.status, await events.text()]).toEqual([200, 'retry: 2000\n'])
  // Who reads by another wire than an `EventSource` does would take an empty stream for the answer.
  const id = begun.headers.get('x-run-id')
  for (const path of [`/v1/runs/${id}/events?as=openai-chat`, `/v1/responses/resp_${id}?stream=true`]) {
    const other = await gateway.get(path, as('acme'))
    expect([other.status, other.headers.get('retry-after'), other.headers.get('x-should-retry')]).toEqual([
      503,
      '2',
      null,
    ])
    await other.text()
  }
  const fine = await gateway.post('/v1/runs', go('text'), as('beta'))
  expect(fine.status).toBe(200)
  await fine.text()
  await reader?.cancel()
})

test('who waits for a whole answer has the place of a reader', async () => {
  const gateway = await two({ limits: { readers: 1 }, pace: 100 })
  const leaving = new AbortController()
  const ask = (signal?: AbortSignal): Promise<Response> =>
    fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('acme') },
      body: JSON.stringify({ model: 'text', input: 'Go.' }),
      ...(signal ? { signal } : {}),
    })
  const first = ask(leaving.signal).catch(() => 'left')
  await expect.poll(async () => (await gateway.get('/v1/runs', as('acme'))).text()).toContain('running')
  const second = await ask()
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '5'])
  leaving.abort()
  expect(await first).toBe('left')
  await expect.poll(async () => (await ask()).status).toBe(200)
})

test('the connections of one tenant are bounded, and another has its own bound', async () => {
  const gateway = await two({ limits: { tenantConnections: 3 } })
  const { port } = gateway
  // Each on a connection of its own.
  const alone = (name: Name, line: string, body = ''): Promise<string> =>
    raw(
      port,
      request(
        line,
        { host: 'localhost', 'content-type': 'application/json', prefer: 'respond-async', ...as(name) },
        body,
      ),
    )
  const began = await alone('acme', 'POST /v1/runs', JSON.stringify(go('approval')))
  const path = `/v1/runs/${/x-run-id: (\S+)/.exec(began)?.[1]}/events`
  const open = [1, 2, 3].map(() => connected(port, path, TOKENS.acme))
  const heads = await Promise.all(open.map(({ answer }) => answer))
  expect(heads.map(statusIn)).toEqual([200, 200, 200])
  const refused = await alone('acme', 'GET /v1/models')
  expect(statusIn(refused)).toBe(429)
  expect(refused).toMatch(/retry-after: 5\r\n/)
  expect(refused).toMatch(/connection: close\r\n/i)
  const events = await alone('acme', `GET ${path}`)
  expect(statusIn(events)).toBe(200)
  expect(events).toContain('retry: 2000\n')
  expect(statusIn(await alone('beta', 'GET /v1/models'))).toBe(200)
  expect(await alone('beta', 'GET /metrics')).toContain('factwire_connections{tenant="beta"} 1\n')
  for (const { close } of open) close()
  await expect.poll(async () => statusIn(await alone('acme', 'GET /v1/models'))).toBe(200)
})

interface Connected {
  /** What came first. */
  readonly answer: Promise<string>
  close(): void
}

function connected(port: number, path: string, token: string): Connected {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return {
    answer: new Promise((resolve) => socket.once('data', (data) => resolve(data.toString('latin1')))),
    close: () => void socket.destroy(),
  }
}
