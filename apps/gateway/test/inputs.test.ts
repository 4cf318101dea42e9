import { EventSource } from 'eventsource'
import { expect, test } from 'vitest'
import { go, started, type Started } from './world.ts'

interface Answered {
  readonly status: string
  readonly run_id: string
}

const begin = async ({ post }: Started, model: string): Promise<string> => {
  const response = await post('/v1/runs', go(model, { thread_id: 'thread-1' }), { prefer: 'respond-async' })
  return ((await response.json()) as Answered).run_id
}

const runOf = async ({ get }: Started, id: string): Promise<{ readonly status: string; readonly cause?: object }> =>
  (await (await get(`/v1/runs/${id}`)).json()) as { status: string; cause?: object }

const said = { messages: [{ role: 'user', content: 'And now?' }] }

async function wordsIn({ get }: Started): Promise<readonly string[]> {
  const { messages } = (await (await get('/v1/threads/thread-1/messages?as=ag-ui')).json()) as {
    messages: readonly { role: string; content: string }[]
  }
  return messages.map(({ role, content }) => `${role}: ${content}`)
}

test('what is said to a run that goes on is heard by it, once, however often it is sent', async () => {
  const gateway = await started({ pace: 30 })
  const run = await begin(gateway, 'text')
  const say = (): Promise<Response> => gateway.post(`/v1/runs/${run}/inputs`, said, { 'idempotency-key': 'key-1' })
  const answers = await Promise.all([say(), say()])
  for (const answer of answers) {
    expect(answer.status).toBe(202)
    expect(await answer.json()).toEqual({ status: 'inputs_accepted', run_id: run })
  }
  await expect.poll(async () => (await runOf(gateway, run)).status).toBe('ended')
  expect(await (await say()).json()).toEqual({ status: 'inputs_accepted', run_id: run })
  expect((await wordsIn(gateway)).filter((words) => words === 'user: And now?')).toHaveLength(1)
})

test('what is said to a run that has ended begins another of its thread', async () => {
  const gateway = await started()
  const run = await begin(gateway, 'text')
  await expect.poll(async () => (await runOf(gateway, run)).status).toBe('ended')
  const say = async (): Promise<Answered> =>
    (await (await gateway.post(`/v1/runs/${run}/inputs`, said, { 'idempotency-key': 'key-1' })).json()) as Answered
  const first = await say()
  expect(first).toMatchObject({ status: 'run_begun' })
  expect(first.run_id).not.toBe(run)
  expect(await say()).toEqual(first)
  await expect.poll(async () => (await runOf(gateway, first.run_id)).status).toBe('ended')
  expect(await wordsIn(gateway)).toEqual([
    'user: Go.',
    'assistant: Hello 🌍.',
    'user: And now?',
    'assistant: Hello 🌍.',
  ])
})

test('a run that waits takes no words, and says what it waits for', async () => {
  const gateway = await started()
  const run = await begin(gateway, 'approval')
  await expect.poll(async () => (await runOf(gateway, run)).status).toBe('awaiting')
  const answer = await gateway.post(`/v1/runs/${run}/inputs`, said)
  expect(answer.status).toBe(409)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(await answer.json()).toMatchObject({
    code: 'run_awaits',
    run_id: run,
    pending: [{ tool_use_id: 'call_r', kind: 'approval', message: 'Remove /tmp/x?' }],
  })
})

test('what was said before a run came to wait is in the thread when it is cancelled', async () => {
  const gateway = await started({ pace: 100 })
  const run = await begin(gateway, 'approval')
  expect((await gateway.post(`/v1/runs/${run}/inputs`, said)).status).toBe(202)
  await expect.poll(async () => (await runOf(gateway, run)).status, { timeout: 5000 }).toBe('awaiting')
  expect(await wordsIn(gateway)).not.toContain('user: And now?')
  expect((await gateway.post(`/v1/runs/${run}/cancel`, {})).status).toBe(202)
  expect(await runOf(gateway, run)).toMatchObject({ status: 'ended', cause: { type: 'cancelled' } })
  expect((await wordsIn(gateway)).slice(-2)).toEqual(['tool: No result: the run was cancelled.', 'user: And now?'])
})

test('no message at all is refused before the run is looked for', async () => {
  const { post } = await started()
  expect((await post('/v1/runs/nobody/inputs', { messages: [] })).status).toBe(400)
  expect((await post('/v1/runs/nobody/inputs', said)).status).toBe(404)
})

test('a decision about a call that nobody waits for is a 404, and a no is kept with its words', async () => {
  const gateway = await started()
  const run = await begin(gateway, 'approval')
  await expect.poll(async () => (await runOf(gateway, run)).status).toBe('awaiting')
  const decide = (body: object): Promise<Response> => gateway.post(`/v1/runs/${run}/decision`, body)
  expect((await decide({ tool_call_id: 'call_x', action: 'resume' })).status).toBe(404)
  expect((await decide({ tool_call_id: 'call_r', action: 'perhaps' })).status).toBe(400)
  expect((await decide({ toolCallId: 'call_r', action: 'cancel', payload: 'not that one' })).status).toBe(202)
  await expect.poll(async () => (await runOf(gateway, run)).status).toBe('ended')
  expect(await wordsIn(gateway)).toContain('tool: The call was denied. They said: not that one')
})

test.each<[object, boolean]>([
  [{ action: 'resume' }, true],
  [{ action: 'resume', payload: true }, true],
  [{ action: 'resume', payload: 'yes' }, true],
  [{ action: 'resume', payload: { approve: true } }, true],
  [{ action: 'resume', payload: { approve: false } }, false],
  [{ action: 'resume', payload: { denied: true } }, false],
  [{ action: 'resume', payload: 'no' }, false],
  [{ action: 'cancel' }, false],
  [{ action: 'cancel', payload: true }, false],
  [{ approved: true }, true],
  [{ approved: true, payload: { arguments: { path: '/tmp/y' } } }, true],
  [{ approved: false, payload: 'yes' }, false],
])('the decision %j is taken for what it says, and the answer says for what: %j', async (said, approved) => {
  const gateway = await started()
  const run = await begin(gateway, 'approval')
  await expect.poll(async () => (await runOf(gateway, run)).status).toBe('awaiting')
  const decided = await gateway.post(`/v1/runs/${run}/decision`, { tool_call_id: 'call_r', ...said })
  expect(await decided.json()).toMatchObject({ status: 'decision_submitted', approved })
  await expect.poll(async () => (await runOf(gateway, run)).status).toBe('ended')
  expect((await wordsIn(gateway)).includes('tool: removed /tmp/x')).toBe(approved)
})

test.each([
  { action: 'resume', payload: null },
  { action: 'resume', payload: { answer: 'no' } },
  { action: 'resume', payload: 'well' },
  { approved: true, payload: 'no' },
])('what is neither a yes nor a no, as %j, decides nothing', async (said) => {
  const gateway = await started()
  const run = await begin(gateway, 'approval')
  await expect.poll(async () => (await runOf(gateway, run)).status).toBe('awaiting')
  const decided = await gateway.post(`/v1/runs/${run}/decision`, { tool_call_id: 'call_r', ...said })
  expect(decided.status).toBe(422)
  expect(await decided.json()).toMatchObject({
    code: 'unclear_decision',
    detail: expect.stringContaining('a plain yes or no'),
  })
  expect((await runOf(gateway, run)).status).toBe('awaiting')
})

test('a run begun on one wire is watched on two others, and cancelled from a third', async () => {
  const gateway = await started({ pace: 40 })
  const response = await gateway.post('/v1/ag-ui', {
    threadId: 'thread-1',
    runId: 'run-1',
    messages: [{ id: 'user-1', role: 'user', content: 'Go.' }],
    tools: [],
    context: [],
    forwardedProps: { model: 'parallel-tools' },
  })
  const events: string[] = []
  const source = new EventSource(`${gateway.url}/v1/runs/run-1/events`)
  const ended = new Promise<void>((resolve) =>
    source.addEventListener('message', ({ data }) => {
      events.push(data)
      if (data.includes('run_finish')) resolve()
    }),
  )
  const chat = await gateway.get('/v1/runs/run-1/events?as=openai-chat')
  const reader = chat.body?.getReader()
  await reader?.read()
  await expect.poll(() => events.some((data) => data.includes('Let me see'))).toBe(true)
  expect(await (await gateway.post('/v1/runs/run-1/cancel', {})).json()).toEqual({
    status: 'cancel_requested',
    run_id: 'run-1',
  })
  await ended
  source.close()
  expect(await response.text()).toContain('"type":"cancelled"')
  let rest = ''
  const decoder = new TextDecoder()
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
    rest += decoder.decode(piece.value)
  // That wire has no word for it but a failure, which no end mark follows.
  expect(rest).toContain('"code":"cancelled"')
  expect(rest).not.toContain('[DONE]')
  expect(await runOf(gateway, 'run-1')).toMatchObject({ status: 'ended', cause: { type: 'cancelled' } })
})

test('a viewer of a wire without resume who leaves ends nothing', async () => {
  const gateway = await started({ pace: 20 })
  const run = await begin(gateway, 'parallel-tools')
  const chat = await gateway.get(`/v1/runs/${run}/events?as=openai-chat`)
  const reader = chat.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  await expect
    .poll(async () => await runOf(gateway, run), { timeout: 5000 })
    .toMatchObject({
      status: 'ended',
      cause: { type: 'natural_end' },
    })
})

test('whoever has seen all of a run that is over gets 204, and who names no number of it is told so', async () => {
  const gateway = await started()
  const text = await (await gateway.post('/v1/runs', go('text', { thread_id: 'thread-1' }))).text()
  const last = [...text.matchAll(/id: (\d+)/g)].at(-1)?.[1] ?? ''
  const [{ run_id }] = ((await (await gateway.get('/v1/runs')).json()) as { items: readonly [Answered] }).items
  const events = (id: string): Promise<Response> => gateway.get(`/v1/runs/${run_id}/events`, { 'last-event-id': id })
  expect((await events(last)).status).toBe(204)
  expect((await events('x')).status).toBe(400)
  expect((await events('999999')).status).toBe(409)
  const after = await gateway.get(`/v1/runs/${run_id}/events?after=${Number(last) - 1}`)
  expect(await after.text()).toContain('run_finish')
})
