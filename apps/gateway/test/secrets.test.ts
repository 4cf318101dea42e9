import { SpanStatusCode, trace } from '@opentelemetry/api'
import { afterEach, expect, test, vi } from 'vitest'
import { memoryStorage, type LogEntry, scriptedTools, scriptedUpstream } from '../src/index.ts'
import { errorEntry, jsonLog } from '../src/log.ts'
import { upstream } from '../src/upstreams/chat.ts'
import { go, started, type Started } from './world.ts'
import { type Recorded, recordingProvider } from './recording-tracer.ts'

const CANARY = 'canary-7f3a9c'

afterEach(() => {
  trace.disable()
  vi.restoreAllMocks()
})

/** Everything that is written while the work goes on, whoever writes it. */
async function overheard(work: (log: (line: string) => void) => Promise<void>): Promise<string> {
  const lines: string[] = []
  const hear = (piece: unknown): boolean => {
    lines.push(String(piece))
    return true
  }
  const spies = [
    vi.spyOn(process.stderr, 'write').mockImplementation(hear),
    vi.spyOn(process.stdout, 'write').mockImplementation(hear),
    ...(['log', 'warn', 'error', 'info', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(hear),
    ),
  ]
  try {
    await work((line) => lines.push(line))
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return lines.join('\n')
}

/** The canary in every place of a request that there is. */
async function everywhere({ post, get }: Started): Promise<void> {
  const headers = {
    authorization: `Bearer ${CANARY}`,
    cookie: `session=${CANARY}`,
    'user-agent': CANARY,
    'idempotency-key': CANARY,
    'last-event-id': CANARY,
    [`x-${CANARY}`]: CANARY,
  }
  const messages = [{ id: CANARY, role: 'user', content: CANARY, name: CANARY }]
  const parameters = { type: 'object', description: CANARY, properties: { [CANARY]: { const: CANARY } } }
  const tools = [{ name: CANARY, description: CANARY, parameters }]
  const bodies = {
    '/v1/runs': { thread_id: CANARY, model: 'text', messages, tools, [CANARY]: CANARY },
    '/v1/ag-ui': {
      threadId: `t-${CANARY}`,
      runId: CANARY,
      messages,
      tools,
      state: { [CANARY]: CANARY },
      context: [{ description: CANARY, value: CANARY }],
      forwardedProps: { model: 'text', key: CANARY },
    },
    '/v1/chat/completions': {
      model: CANARY,
      user: CANARY,
      messages,
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
    },
    [`/v1/runs/${CANARY}/inputs`]: { messages },
    [`/v1/runs/${CANARY}/decision`]: { tool_call_id: CANARY, action: 'resume', payload: CANARY },
    [`/v1/runs/${CANARY}/cancel`]: {},
    [`/v1/runs/${CANARY}/ticket`]: {},
    [`/v1/${CANARY}`]: {},
  }
  for (const [path, body] of Object.entries(bodies)) {
    for (const sent of [body, `{"${CANARY}": ${CANARY}`]) {
      const answer = await post(`${path}?${CANARY}=${CANARY}&access_token=${CANARY}`, sent, headers)
      await answer.text()
    }
  }
  const paths = ['', '/events', '/events?as=ag-ui', `/events?access_token=${CANARY}`, `/events?as=${CANARY}`]
  for (const path of paths) await (await get(`/v1/runs/${CANARY}${path}`, { 'last-event-id': CANARY })).text()
  await (await get(`/v1/threads/${CANARY}/messages?as=${CANARY}`)).text()
  await (await get(`/v1/audit?run=${CANARY}&thread=${CANARY}`)).text()
  await (await get(`/v1/runs?thread=${CANARY}&before=${CANARY}&limit=${CANARY}`)).text()
}

test('no log line, and nothing else that is written, has anything of what a client sent', async () => {
  const said = await overheard(async (write) => {
    const gateway = await started({ log: jsonLog(write) })
    await everywhere(gateway)
    await gateway.close()
  })
  expect(said.split('\n').filter((line) => line.includes('"event":"request"')).length).toBeGreaterThan(20)
  expect(said).toContain('"route":"/v1/runs/:id/inputs"')
  expect(said).not.toContain(CANARY)
})

test('nor of what a store, a provider or a tool throws, and no client sees it', async () => {
  const answers: string[] = []
  const said = await overheard(async (write) => {
    const broken = {
      ...memoryStorage(),
      runs: async (): Promise<never> => {
        throw new Error(CANARY)
      },
    }
    const gateway = await started({ log: jsonLog(write), storage: async () => broken })
    for (const path of ['/v1/runs', '/v1/audit', '/v1/threads/thread-1/messages']) {
      const answer = await gateway.get(path)
      expect(answer.status).toBe(500)
      answers.push(await answer.text())
    }
    await gateway.close()
  })
  expect(said).toContain('"event":"error","error":"Error"')
  expect(said).not.toContain(CANARY)
  expect(answers.join()).not.toContain(CANARY)
})

test('of an error its class and its code are said', () => {
  const coded = Object.assign(new TypeError(CANARY), { code: 'store_failed' })
  expect(errorEntry(coded)).toEqual({ event: 'error', error: 'TypeError', code: 'store_failed' })
  expect(errorEntry(Object.assign(new Error('x'), { code: `a ${CANARY}` }))).toEqual({ event: 'error', error: 'Error' })
  expect(errorEntry(CANARY)).toEqual({ event: 'error', error: 'string' })
})

test('a field that is on no list is not logged', () => {
  const lines: string[] = []
  const entry: LogEntry & { readonly body: string } = { event: 'request', body: CANARY }
  jsonLog((line) => lines.push(line))(entry)
  expect(lines.join()).not.toContain(CANARY)
})

test('a run is a span, with one for each question and each call, and nothing that was said', async () => {
  const spans: Recorded[] = []
  trace.setGlobalTracerProvider(recordingProvider(spans))
  const gateway = await started({ upstream: scriptedUpstream(upstream, 0), tools: scriptedTools })
  const asked = { ...go('parallel-tools', { thread_id: 'thread-1' }), messages: [{ role: 'user', content: CANARY }] }
  await (await gateway.post('/v1/runs', asked)).text()
  await (await gateway.post('/v1/runs', go('unauthorized'))).text()
  await expect.poll(() => spans.filter(({ name }) => name === 'invoke_agent').length).toBe(2)
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    'chat parallel-tools',
    'chat parallel-tools',
    'chat unauthorized',
    'execute_tool look_up',
    'execute_tool look_up',
    'invoke_agent',
    'invoke_agent',
  ])
  expect(spans.find(({ name }) => name === 'invoke_agent')?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.conversation.id': 'thread-1',
    'factwire.run.state': 'natural_end',
  })
  const failed = spans.filter(({ status }) => status === SpanStatusCode.ERROR).map(({ name }) => name)
  expect(failed.toSorted()).toEqual(['chat unauthorized', 'invoke_agent'])
  expect(JSON.stringify(spans)).not.toContain(CANARY)
})
