import { Anthropic } from '@anthropic-ai/sdk'
import { OpenAI } from 'openai'
import { expect, test } from 'vitest'
import { sha256 } from '../src/tokens.ts'
import { started, type Started } from './world.ts'

const runsOf = async ({ get }: Started): Promise<readonly { run_id: string; thread_id: string; status: string }[]> =>
  (
    (await (await get('/v1/runs')).json()) as {
      items: readonly { run_id: string; thread_id: string; status: string }[]
    }
  ).items

// ── Anthropic ──

const anthropic = ({ url }: Started, apiKey = 'none'): Anthropic =>
  new Anthropic({ apiKey, baseURL: url, maxRetries: 0 })
const USER = { role: 'user', content: 'Go.' } as const

test('a client of Messages streams a text, and gets a whole answer after tools of the server', async () => {
  const client = anthropic(await started())
  const streamed = await client.messages.stream({ model: 'text', max_tokens: 9, messages: [USER] }).finalMessage()
  expect(streamed.content).toMatchObject([{ type: 'text', text: 'Hello 🌍.' }])
  expect(streamed.usage.output_tokens).toBe(5)
  const whole = await client.messages.create({ model: 'parallel-tools', max_tokens: 9, messages: [USER] })
  expect(whole.stop_reason).toBe('end_turn')
  expect(whole.content.at(-1)).toMatchObject({ type: 'text', text: expect.stringContaining('It is done.') })
})

test('it runs its own tool, and the answer finds the run again', async () => {
  const gateway = await started()
  const client = anthropic(gateway)
  const tools = [{ name: 'choose', input_schema: { type: 'object' as const } }]
  const asked = { model: 'client-tool', max_tokens: 9, tools }
  const first = await client.messages.create({ ...asked, messages: [USER] })
  const call = first.content.find(({ type }) => type === 'tool_use')
  expect([first.stop_reason, call]).toMatchObject(['tool_use', { name: 'choose', input: { of: ['red', 'blue'] } }])
  const second = await client.messages.create({
    ...asked,
    messages: [
      USER,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_c', content: 'red' }] },
    ],
  })
  expect(second.content).toMatchObject([{ type: 'text', text: 'It is done.' }])
  expect(await runsOf(gateway)).toHaveLength(1)
})

test('its errors are its own, and its key is a token', async () => {
  const gateway = await started({ tokens: [{ tenant: 'acme', sha256: sha256('acme-token-of-a-test') }] })
  const ask = (key: string, model: string): Promise<unknown> =>
    anthropic(gateway, key).messages.create({ model, max_tokens: 9, messages: [USER] })
  await expect(ask('other-token-of-a-test', 'text')).rejects.toMatchObject({ status: 401, error: { type: 'error' } })
  await expect(ask('acme-token-of-a-test', 'nobody')).rejects.toMatchObject({ status: 404, error: { type: 'error' } })
  await expect(ask('acme-token-of-a-test', 'unauthorized')).rejects.toMatchObject({ status: 500 })
  await expect(ask('acme-token-of-a-test', 'text')).resolves.toMatchObject({ role: 'assistant' })
})

// ── Responses ──

const openai = ({ url }: Started): OpenAI => new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })
const CHOOSE = { type: 'function', name: 'choose', parameters: { type: 'object' }, strict: false } as const

test('a client of Responses streams a text, and goes on from it by its id', async () => {
  const gateway = await started()
  const client = openai(gateway)
  const first = await client.responses.stream({ model: 'text', input: 'One.' }).finalResponse()
  expect(first.output_text).toBe('Hello 🌍.')
  const second = await client.responses.create({ model: 'text', input: 'Two.', previous_response_id: first.id })
  expect(second.output_text).toBe('Hello 🌍.')
  const [newest, oldest] = await runsOf(gateway)
  expect(newest?.thread_id).toBe(oldest?.thread_id)
  const told = (await (await gateway.get(`/v1/threads/${newest?.thread_id}/messages?as=openai-chat`)).json()) as {
    messages: readonly { content: string }[]
  }
  expect(told.messages.map(({ content }) => content)).toEqual(['One.', 'Hello 🌍.', 'Two.', 'Hello 🌍.'])

  // From the first once more: another thread, which has what came before.
  await client.responses.create({ model: 'text', input: 'Three.', previous_response_id: first.id })
  const [branch] = await runsOf(gateway)
  expect(branch?.thread_id).not.toBe(oldest?.thread_id)
  const other = (await (
    await gateway.get(`/v1/threads/${branch?.thread_id}/messages?as=openai-chat`)
  ).json()) as typeof told
  expect(other.messages.map(({ content }) => content)).toEqual(['One.', 'Hello 🌍.', 'Three.', 'Hello 🌍.'])
})

test('it answers for its own tool by the id of the response that asked', async () => {
  const gateway = await started()
  const client = openai(gateway)
  const asked = { model: 'client-tool', tools: [CHOOSE] }
  const first = await client.responses.create({ ...asked, input: 'Go.' })
  const call = first.output.find((item) => item.type === 'function_call')
  expect(call).toMatchObject({ name: 'choose', arguments: '{"of":["red","blue"]}' })
  const output = { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'red' } as const
  const second = await client.responses.create({ ...asked, input: [output], previous_response_id: first.id })
  expect(second.output_text).toBe('It is done.')
  expect(second.id).not.toBe(first.id)
  expect(await runsOf(gateway)).toHaveLength(1)
  const third = await client.responses.create({ model: 'text', input: 'More.', previous_response_id: second.id })
  expect(third.output_text).toBe('Hello 🌍.')
})

test('it lets somebody approve', async () => {
  const gateway = await started()
  const client = openai(gateway)
  const first = await client.responses.create({ model: 'approval', input: 'Go.' })
  const question = first.output.find((item) => item.type === 'mcp_approval_request')
  expect(question?.name).toBe('remove')
  const second = await client.responses.create({
    model: 'approval',
    previous_response_id: first.id,
    input: [{ type: 'mcp_approval_response', approval_request_id: question?.id ?? '', approve: true }],
  })
  expect(second.output_text).toBe('It is done.')
})

test('a response is read again, whole or from a number on, and cancelled', async () => {
  const gateway = await started({ pace: 20 })
  const client = openai(gateway)
  const stream = await client.responses.create({ model: 'parallel-tools', input: 'Go.', stream: true })
  const seen: { sequence_number: number; type: string }[] = []
  let id = ''
  for await (const event of stream) {
    seen.push(event)
    if (event.type === 'response.created') id = event.response.id
  }
  const cut = 4
  const rest = await client.responses.retrieve(id, { stream: true, starting_after: seen[cut]?.sequence_number ?? 0 })
  const again: { sequence_number: number; type: string }[] = []
  for await (const event of rest) again.push(event)
  const least = Math.min(...again.map(({ sequence_number }) => sequence_number))
  expect(least).toBeGreaterThan(seen[cut]?.sequence_number ?? 0)
  expect(again.at(-1)).toMatchObject({ type: 'response.completed' })
  const whole = await client.responses.retrieve(id)
  expect([whole.status, whole.output_text]).toEqual(['completed', expect.stringContaining('It is done.')])
  const going = client.responses.create({ model: 'silent-text', input: 'Go.' })
  await expect.poll(async () => (await runsOf(gateway))[0]?.status).toBe('running')
  const name = `resp_${(await runsOf(gateway))[0]?.run_id}`
  const cancelled = await client.responses.cancel(name)
  expect(cancelled).toMatchObject({ id: name, object: 'response', status: 'cancelled' })
  expect((await going).status).toBe('cancelled')
  const failed = await client.responses.create({ model: 'unauthorized', input: 'Go.' })
  expect([failed.status, failed.error?.code]).toEqual(['failed', 'unauthorized'])
  await expect(client.responses.retrieve('resp_nobody')).rejects.toMatchObject({ status: 404, code: 'unknown_run' })
  await expect(
    client.responses.create({ model: 'text', input: 'x', previous_response_id: 'resp_nobody' }),
  ).rejects.toMatchObject({ status: 404 })
})
