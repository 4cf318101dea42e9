/** What clients of Messages and Responses meet beside the scenes of the matrix. */
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
  for (const after of ['NaN', '-1', '1.5', ''])
    expect((await gateway.get(`/v1/responses/${id}?stream=true&starting_after=${after}`)).status).toBe(400)
  await expect(client.responses.retrieve('resp_nobody')).rejects.toMatchObject({ status: 404, code: 'unknown_run' })
  await expect(
    client.responses.create({ model: 'text', input: 'x', previous_response_id: 'resp_nobody' }),
  ).rejects.toMatchObject({ status: 404 })
})
