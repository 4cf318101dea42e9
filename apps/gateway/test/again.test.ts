import { expect, test } from 'vitest'
import { go, started, type Started } from './world.ts'

interface Thread {
  readonly status: string
  readonly messages: readonly { readonly role: string; readonly content: readonly { readonly text?: string }[] }[]
}

const threadOf = async ({ get }: Started, thread = 'thread-1'): Promise<Thread> =>
  (await (await get(`/v1/threads/${thread}/messages`)).json()) as Thread

const saidIn = async (gateway: Started): Promise<readonly (string | undefined)[]> =>
  (await threadOf(gateway)).messages.filter(({ role }) => role === 'user').map(({ content }) => content[0]?.text)

const runsOf = async ({ get }: Started): Promise<number> =>
  ((await (await get('/v1/runs')).json()) as { items: readonly unknown[] }).items.length

const comesTo = async (gateway: Started, status: string): Promise<void> =>
  expect.poll(async () => (await threadOf(gateway)).status).toBe(status)

const words = (content: string, model = 'text'): object => ({
  thread_id: 'thread-1',
  model,
  messages: [{ role: 'user', content }],
})

const begin = async (gateway: Started, body: object, key?: string): Promise<string | null> => {
  const headers = { prefer: 'respond-async', ...(key === undefined ? {} : { 'idempotency-key': key }) }
  const response = await gateway.post('/v1/runs', body, headers)
  expect(response.status).toBe(202)
  return response.headers.get('x-run-id')
}

const yes = { tool_call_id: 'call_r', action: 'resume' }

test('what is sent again under its key while its run waits is not said to it again', async () => {
  const gateway = await started()
  const run = await begin(gateway, words('Remove it.', 'approval'), 'key-1')
  await comesTo(gateway, 'awaiting')
  for (let count = 0; count < 3; count++)
    expect(await begin(gateway, words('Remove it.', 'approval'), 'key-1')).toBe(run)
  await gateway.post(`/v1/runs/${run}/decision`, yes)
  await comesTo(gateway, 'ended')
  expect(await saidIn(gateway)).toEqual(['Remove it.'])
})

test('another request under a key that was used is refused, and begins nothing', async () => {
  const gateway = await started()
  const run = await begin(gateway, words('One.'), 'key-1')
  await comesTo(gateway, 'ended')
  const other = await gateway.post('/v1/runs', words('Two.'), { 'idempotency-key': 'key-1' })
  expect([other.status, other.headers.get('x-should-retry')]).toEqual([422, 'false'])
  expect(await other.json()).toMatchObject({ code: 'idempotency_key_reused', run_id: run })
  const chat = async (content: string): Promise<number> =>
    (
      await gateway.post(
        '/v1/chat/completions',
        { model: 'text', messages: [{ role: 'user', content }] },
        { 'idempotency-key': 'key-1' },
      )
    ).status
  expect([await chat('One.'), await chat('One.'), await chat('Two.')]).toEqual([200, 200, 422])
  const say = async (content: string): Promise<number> =>
    (
      await gateway.post(
        `/v1/runs/${run}/inputs`,
        { messages: [{ role: 'user', content }] },
        { 'idempotency-key': 'key-1' },
      )
    ).status
  expect([await say('Three.'), await say('Three.'), await say('Four.')]).toEqual([202, 202, 422])
  await comesTo(gateway, 'ended')
  expect(await saidIn(gateway)).toEqual(['One.', 'Three.'])
})

test('what was said to a run that waits is said once, however often it is sent under its key', async () => {
  const gateway = await started()
  const run = await begin(gateway, words('Remove it.', 'approval'))
  await comesTo(gateway, 'awaiting')
  for (let count = 0; count < 3; count++) {
    expect(await begin(gateway, words('Be careful.'), 'key-1')).toBe(run)
    await comesTo(gateway, 'awaiting')
  }
  await gateway.post(`/v1/runs/${run}/decision`, yes)
  await comesTo(gateway, 'ended')
  expect(await saidIn(gateway)).toEqual(['Remove it.', 'Be careful.'])
  expect(await begin(gateway, words('Be careful.'), 'key-1')).toBe(run)
})

test('what began a run is not said to a later one that waits', async () => {
  const gateway = await started()
  const first = await begin(gateway, words('One.'), 'key-1')
  await comesTo(gateway, 'ended')
  const second = await begin(gateway, words('Remove it.', 'approval'))
  await comesTo(gateway, 'awaiting')
  expect(await begin(gateway, words('One.'), 'key-1')).toBe(first)
  await gateway.post(`/v1/runs/${second}/decision`, yes)
  await comesTo(gateway, 'ended')
  expect(await saidIn(gateway)).toEqual(['One.', 'Remove it.'])
})

test('an AG-UI run that is asked for again after a later one is shown itself', async () => {
  const gateway = await started()
  const one = { id: 'user-1', role: 'user', content: 'One.' }
  const two = { id: 'user-2', role: 'user', content: 'Two.' }
  const ask = async (runId: string, messages: readonly object[]): Promise<string> => {
    const input = { threadId: 'thread-1', runId, messages, forwardedProps: { model: 'text' } }
    return (await gateway.post('/v1/ag-ui', input)).text()
  }
  await ask('run-1', [one])
  await ask('run-2', [one, two])
  expect(await ask('run-1', [one])).toContain('"runId":"run-1"')
  expect(await ask('run-1', [one])).not.toContain('run-2')
})

test('a response that is asked for again under its key is the one that there is', async () => {
  const gateway = await started()
  const ask = async (body: object, key: string): Promise<string> => {
    const response = await gateway.post('/v1/responses', { model: 'text', ...body }, { 'idempotency-key': key })
    return ((await response.json()) as { id: string }).id
  }
  const first = await ask({ input: 'One.' }, 'key-1')
  const second = (): Promise<string> => ask({ input: 'Two.', previous_response_id: first }, 'key-2')
  expect(await second()).toBe(await second())
  expect(await runsOf(gateway)).toBe(2)
})

test('an answer without a thread that is sent twice under one key goes on with one run', async () => {
  const gateway = await started()
  const tools = [{ type: 'function', function: { name: 'choose' } }]
  const body = go('client-tool', { tools }) as { messages: readonly object[] }
  const asked = await gateway.post('/v1/chat/completions', body)
  const { choices } = (await asked.json()) as { choices: readonly [{ message: object }] }
  const result = { role: 'tool', tool_call_id: 'call_c', content: 'red' }
  const answer = { ...body, messages: [...body.messages, choices[0].message, result] }
  const send = async (): Promise<string | null> =>
    (await gateway.post('/v1/chat/completions', answer, { 'idempotency-key': 'key-1' })).headers.get('x-run-id')
  const runs = [...(await Promise.all([send(), send()])), await send()]
  expect(new Set(runs)).toEqual(new Set([asked.headers.get('x-run-id')]))
  expect(await runsOf(gateway)).toBe(1)
})

test('an answer without a thread finds its run, however many wait for a call of that id', async () => {
  const gateway = await started()
  const tools = [{ type: 'function', function: { name: 'choose' } }]
  const ask = (messages: readonly object[]): Promise<Response> =>
    gateway.post('/v1/chat/completions', { model: 'client-tool', messages, tools })
  const first = { role: 'user', content: 'The first.' }
  const asked = await ask([first])
  const { choices } = (await asked.json()) as { choices: readonly [{ message: object }] }
  for (let count = 0; count < 45; count++) await (await ask([{ role: 'user', content: `Another ${count}.` }])).text()
  const answer = await ask([first, choices[0].message, { role: 'tool', tool_call_id: 'call_c', content: 'red' }])
  expect(answer.headers.get('x-run-id')).toBe(asked.headers.get('x-run-id'))
  await answer.text()
})

test.each(['/v1/runs', '/v1/runs/nobody/inputs'])('an empty key is refused at %s', async (path) => {
  const { post } = await started()
  const answer = await post(path, go('text'), { 'idempotency-key': '' })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ detail: 'idempotency-key: expected at least one character' })
})

test('who answers a call with the same id, of the same words, in another conversation, answers none of this one', async () => {
  const gateway = await started()
  const tools = [{ type: 'function', function: { name: 'choose' } }]
  const ask = async (messages: readonly object[]): Promise<{ run: string | null; message: ChatMessage }> => {
    const response = await gateway.post('/v1/chat/completions', { ...go('client-tool', { tools }), messages })
    const { choices } = (await response.json()) as { choices: readonly [{ message: ChatMessage }] }
    return { run: response.headers.get('x-run-id'), message: choices[0].message }
  }
  const said = { role: 'user', content: 'Go.' }
  const { run, message } = await ask([said])
  const answered = async (made: object): Promise<string | null> =>
    (await ask([said, made, { role: 'tool', tool_call_id: 'call_c', content: 'red' }])).run
  const [call] = message.tool_calls
  const elsewhere = { ...call, function: { name: 'choose', arguments: '{"from":"elsewhere"}' } }
  expect(await answered({ ...message, tool_calls: [elsewhere] })).not.toBe(run)
  expect(await answered({ ...message, content: 'Said elsewhere.' })).not.toBe(run)
  expect(await answered({ ...message, content: null })).toBe(run)
})

interface ChatMessage {
  readonly content: string | null
  readonly tool_calls: readonly [object]
}
