/** What clients of Messages meet beside the scenes of the matrix. */
import { Anthropic } from '@anthropic-ai/sdk'
import { Anthropic as Anthropic0137 } from 'anthropic-sdk-0.137'
import { expect, test } from 'vitest'
import { history } from '@factwire/anthropic-messages'
import { modelOf } from '../src/upstream.ts'
import { upstream } from '../src/upstreams/messages.ts'
import { started, type Started } from './world.ts'

type Params = Anthropic.MessageCreateParamsNonStreaming

const USER = { role: 'user', content: 'Go.' } as const
const asked = (model: string, more: Partial<Params> = {}): Params => ({
  model,
  max_tokens: 1000,
  messages: [USER],
  ...more,
})

/** Both versions have the same face, as far as it is used here, and so have both ways to the messages. */
const versions = [
  ['1.14', Anthropic],
  ['0.137', Anthropic0137 as unknown as typeof Anthropic],
] as const
const everyone = versions.flatMap(([version, Client]) => [
  [`${version} messages`, (client: Anthropic): Anthropic['messages'] => client.messages, Client] as const,
  [
    `${version} beta.messages`,
    (client: Anthropic): Anthropic['messages'] => client.beta.messages as unknown as Anthropic['messages'],
    Client,
  ] as const,
])

const clientOf = ({ url }: Started, Client: typeof Anthropic = Anthropic, apiKey = 'none'): Anthropic =>
  new Client({ apiKey, baseURL: url, maxRetries: 0 })

test.each(everyone)('%s: no thoughts for who does not want them', async (_name, messages, Client) => {
  const { content } = await messages(clientOf(await started(), Client))
    .stream(asked('reasoning'))
    .finalMessage()
  expect(content.map(({ type }) => type)).toEqual(['text'])
})

test.each(everyone)('%s: an approval that this client cannot give fails, once', async (_name, messages, Client) => {
  const gateway = await started()
  await expect(messages(clientOf(gateway, Client)).stream(asked('approval')).finalMessage()).rejects.toMatchObject({
    error: { error: { code: 'approval_unsupported' } },
  })
  expect(await runsOf(gateway)).toHaveLength(1)
})

test.each(everyone)('%s: what it is refused, and a run that fails', async (_name, messages, Client) => {
  const client = clientOf(await started(), Client)
  await expect(messages(client).create(asked('unauthorized'))).rejects.toMatchObject({ status: 500 })
  await expect(messages(client).create(asked('nobody'))).rejects.toMatchObject({
    status: 404,
    error: { type: 'error', error: { type: 'not_found_error' } },
  })
  await expect(messages(client).create({ ...asked('text'), messages: [] })).rejects.toMatchObject({
    status: 400,
    error: { error: { type: 'invalid_request_error' } },
  })
})

test('a client that leaves ends its run', async () => {
  const gateway = await started({ pace: 30 })
  const stream = await clientOf(gateway).messages.create({ ...asked('parallel-tools'), stream: true })
  for await (const _event of stream) break
  await expect.poll(async () => (await runsOf(gateway))[0]).toMatchObject({ cause: { type: 'cancelled' } })
})

test('a thread is named by a header, and only what is new is taken', async () => {
  const gateway = await started()
  const headers = { 'x-thread-id': 'thread-1' }
  const client = clientOf(gateway)
  const first = await client.messages.create(asked('text'), { headers })
  const more = [USER, { role: 'assistant', content: first.content }, { role: 'user', content: 'Again.' }] as const
  await client.messages.create(asked('text', { messages: [...more] }), { headers })
  const thread = await gateway.get('/v1/threads/thread-1/messages?as=anthropic-messages')
  const { messages } = (await thread.json()) as { readonly messages: ReturnType<typeof history> }
  expect(messages.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})

test('a provider is asked with the words of the system apart, its key in its header', () => {
  const { request } = modelOf(upstream, 'https://provider.test/v1/', 'key', 'claude', 'Be brief.')
  const messages = [{ id: 'm', role: 'user', content: [{ type: 'text', text: 'Go.' }] }] as const
  expect(request({ messages, tools: [{ name: 'look' }], attempt: 0 })).toEqual({
    url: 'https://provider.test/v1/messages',
    headers: { 'anthropic-version': '2023-06-01', 'x-api-key': 'key' },
    body: {
      model: 'claude',
      max_tokens: 16_384,
      stream: true,
      system: 'Be brief.',
      messages: history({ messages }).messages,
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    },
  })
})

async function runsOf(gateway: Started): Promise<readonly object[]> {
  return ((await (await gateway.get('/v1/runs')).json()) as { readonly items: readonly object[] }).items
}
