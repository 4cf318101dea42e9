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

test.each(['', '?as=ag-ui', '?as=openai-chat'])(
  'what was said while a run waits is shown beside its thread%s until it is heard',
  async (as) => {
    const gateway = await started()
    const run = await begin(gateway, words('Remove it.', 'approval'))
    await comesTo(gateway, 'awaiting')
    const told = async (): Promise<readonly string[]> => {
      const thread = await (await gateway.get(`/v1/threads/thread-1/messages${as}`)).json()
      const { messages, said } = thread as { messages: unknown; said: unknown }
      return [messages, said].map((each) => (JSON.stringify(each).includes('Be careful.') ? 'there' : 'not there'))
    }
    await begin(gateway, words('Be careful.'))
    await comesTo(gateway, 'awaiting')
    expect(await told()).toEqual(['not there', 'there'])
    await gateway.post(`/v1/runs/${run}/decision`, yes)
    await comesTo(gateway, 'ended')
    expect(await told()).toEqual(['there', 'not there'])
  },
)

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

test('the members of a request may stand in another order when it comes again under its key', async () => {
  const gateway = await started()
  const messages = [{ role: 'user', content: 'One.' }]
  const first = await begin(gateway, { thread_id: 'thread-1', model: 'text', messages }, 'key-1')
  expect(await begin(gateway, { messages, model: 'text', thread_id: 'thread-1' }, 'key-1')).toBe(first)
  const other = { thread_id: 'thread-1', model: 'text', messages: [...messages, ...messages] }
  expect((await gateway.post('/v1/runs', other, { 'idempotency-key': 'key-1' })).status).toBe(422)
})

test('other words under the key of what a run has gone on with are refused, and said to nobody', async () => {
  const gateway = await started()
  const run = await begin(gateway, words('Remove it.', 'approval'))
  await comesTo(gateway, 'awaiting')
  expect(await begin(gateway, words('Be careful.'), 'key-1')).toBe(run)
  const other = await gateway.post('/v1/runs', words('Hurry.'), { 'idempotency-key': 'key-1' })
  expect(await other.json()).toMatchObject({ status: 422, code: 'idempotency_key_reused', run_id: run })
  await gateway.post(`/v1/runs/${run}/decision`, yes)
  await comesTo(gateway, 'ended')
  expect((await gateway.post('/v1/runs', words('Hurry.'), { 'idempotency-key': 'key-1' })).status).toBe(422)
  expect(await saidIn(gateway)).toEqual(['Remove it.', 'Be careful.'])
})

test('a response whose answer comes again under its key with other words is refused', async () => {
  const gateway = await started()
  const tools = [{ type: 'function', name: 'choose', parameters: { type: 'object' } }]
  const ask = async (body: object): Promise<{ status: number; id: string; error?: unknown }> => {
    const headers = 'previous_response_id' in body ? { 'idempotency-key': 'key-1' } : {}
    const response = await gateway.post('/v1/responses', { model: 'client-tool', tools, ...body }, headers)
    return { ...((await response.json()) as { id: string }), status: response.status }
  }
  const { id } = await ask({ input: 'Go.' })
  const answer = (output: string): object => ({
    previous_response_id: id,
    input: [{ type: 'function_call_output', call_id: 'call_c', output }],
  })
  const first = await ask(answer('red'))
  expect(await ask(answer('red'))).toEqual(first)
  expect((await ask(answer('blue'))).status).toBe(422)
  expect((await ask({ previous_response_id: id, input: 'Another question.' })).status).toBe(422)
  expect(await runsOf(gateway)).toBe(1)
})

test('an AG-UI run id that comes again with other words is refused; with the same, or none, it is read again', async () => {
  const gateway = await started()
  const said = (id: string): object => ({ id, role: 'user', content: `Words ${id}.` })
  const ask = (runId: string, messages: readonly object[], model = 'approval'): Promise<Response> =>
    gateway.post('/v1/ag-ui', { threadId: 'thread-1', runId, messages, forwardedProps: { model } })
  const statusOf = async (response: Response): Promise<number> => {
    await response.text()
    return response.status
  }
  expect(await statusOf(await ask('run-1', [said('1')]))).toBe(200)
  expect(await statusOf(await ask('run-1', [said('1')]))).toBe(200)
  expect(await statusOf(await ask('run-1', []))).toBe(200)
  expect(await statusOf(await ask('run-1', [said('1'), said('2')]))).toBe(409)
  // Said to the run while it waits.
  expect(await statusOf(await ask('run-2', [said('1'), said('3')]))).toBe(200)
  expect(await statusOf(await ask('run-2', [said('1'), said('3')]))).toBe(200)
  expect(await statusOf(await ask('run-2', [said('4')]))).toBe(409)
  await gateway.post('/v1/runs/run-1/decision', yes)
  await comesTo(gateway, 'ended')
  expect(await statusOf(await ask('run-2', [said('1'), said('3')]))).toBe(200)
  expect(await statusOf(await ask('run-1', [said('5')]))).toBe(409)
  expect(await saidIn(gateway)).toEqual(['Words 1.', 'Words 3.'])
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
