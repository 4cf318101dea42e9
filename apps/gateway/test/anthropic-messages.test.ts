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

const kindsOf = (content: readonly { readonly type: string }[]): readonly string[] => content.map(({ type }) => type)
const textOf = (content: readonly object[]): string =>
  content.map((block) => ('text' in block ? String(block.text) : '')).join('')

const APPROVE = { name: 'approve', description: 'asks somebody', input_schema: { type: 'object' } } as const
const CHOOSE = { name: 'choose', description: 'asks the user', input_schema: { type: 'object' } } as const

test.each(everyone)('%s: a text with its usage', async (_name, messages, Client) => {
  const { content, usage, stop_reason } = await messages(clientOf(await started(), Client))
    .stream(asked('text'))
    .finalMessage()
  expect(content).toMatchObject([{ type: 'text', text: 'Hello 🌍.' }])
  expect(usage.output_tokens).toBeGreaterThan(0)
  expect(stop_reason).toBe('end_turn')
})

test.each(everyone)('%s: thoughts for who wants them', async (_name, messages, Client) => {
  const client = clientOf(await started(), Client)
  const shown = await messages(client)
    .stream(asked('reasoning', { thinking: { type: 'enabled', budget_tokens: 1024 } }))
    .finalMessage()
  expect(shown.content).toMatchObject([{ thinking: 'The user greets.' }, { text: 'Hello.' }])
  const plain = await messages(client).stream(asked('reasoning')).finalMessage()
  expect(kindsOf(plain.content)).toEqual(['text'])
})

test.each(everyone)('%s: tools of the server, at once', async (_name, messages, Client) => {
  const client = clientOf(await started(), Client)
  const streamed = await messages(client).stream(asked('parallel-tools')).finalMessage()
  const whole = await messages(client).create(asked('parallel-tools'))
  for (const { content } of [streamed, whole]) {
    expect(kindsOf(content)).toEqual([
      'text',
      'mcp_tool_use',
      'mcp_tool_use',
      'mcp_tool_result',
      'mcp_tool_result',
      'text',
    ])
    expect(textOf(content)).toBe('Let me see.It is done.')
  }
})

test.each(everyone)('%s: a tool of the client, there and back', async (_name, messages, Client) => {
  const gateway = await started()
  const client = clientOf(gateway, Client)
  const first = await messages(client)
    .stream(asked('client-tool', { tools: [CHOOSE] }))
    .finalMessage()
  expect(first.stop_reason).toBe('tool_use')
  const call = first.content.find((block) => block.type === 'tool_use')
  expect(call).toMatchObject({ name: 'choose', input: { of: ['red', 'blue'] } })
  const second = await messages(client)
    .stream(
      asked('client-tool', {
        tools: [CHOOSE],
        messages: [
          USER,
          { role: 'assistant', content: first.content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'red' }] },
        ],
      }),
    )
    .finalMessage()
  expect(textOf(second.content)).toBe('It is done.')
  expect(second.stop_reason).toBe('end_turn')
  expect(await runsOf(gateway)).toHaveLength(1)
})

test.each(everyone.flatMap((one) => [[...one, true] as const, [...one, false] as const]))(
  '%s: an approval, %#',
  async (_name, messages, Client, approved) => {
    const gateway = await started()
    const client = clientOf(gateway, Client)
    const first = await messages(client)
      .stream(asked('approval', { tools: [APPROVE] }))
      .finalMessage()
    expect(kindsOf(first.content)).toEqual(['text', 'mcp_tool_use', 'tool_use'])
    const question = first.content.find((block) => block.type === 'tool_use')
    expect(question).toMatchObject({ name: 'approve', input: { tool: 'remove', message: 'Remove /tmp/x?' } })
    const answer = {
      type: 'tool_result',
      tool_use_id: question?.id ?? '',
      content: JSON.stringify({ approved }),
    } as const
    const second = await messages(client)
      .stream(
        asked('approval', {
          tools: [APPROVE],
          messages: [USER, { role: 'assistant', content: first.content }, { role: 'user', content: [answer] }],
        }),
      )
      .finalMessage()
    expect(kindsOf(second.content)).toEqual(['mcp_tool_use', 'mcp_tool_result', 'text'])
    expect(second.content[1]).toMatchObject({ is_error: !approved })
    expect(textOf(second.content)).toBe('It is done.')
    expect(second.id).not.toBe(first.id)
    expect(await runsOf(gateway)).toMatchObject([{ status: 'ended' }])
  },
)

test.each(everyone)('%s: an approval that this client cannot give fails, once', async (_name, messages, Client) => {
  const gateway = await started()
  await expect(messages(clientOf(gateway, Client)).stream(asked('approval')).finalMessage()).rejects.toMatchObject({
    error: { error: { code: 'approval_unsupported' } },
  })
  expect(await runsOf(gateway)).toHaveLength(1)
})

test.each(everyone)('%s: too long an answer, and a run that fails', async (_name, messages, Client) => {
  const client = clientOf(await started(), Client)
  const cut = await messages(client).stream(asked('cut-by-length')).finalMessage()
  expect(cut.stop_reason).toBe('max_tokens')
  await expect(messages(client).stream(asked('unauthorized')).finalMessage()).rejects.toMatchObject({
    error: { error: { type: 'api_error', code: 'unauthorized' } },
  })
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

test.each(versions)('%s: the tool runner runs its own tool once, and no other', async (_version, Client) => {
  const gateway = await started()
  const ran: string[] = []
  const tool = (name: string): object => ({
    type: 'custom',
    name,
    description: name,
    input_schema: { type: 'object' },
    parse: (input: unknown) => input,
    run: (input: object) => {
      ran.push(`${name} ${JSON.stringify(input)}`)
      return 'red'
    },
  })
  for (const [model, expected] of [
    ['client-tool', ['choose {"of":["red","blue"]}']],
    ['parallel-tools', []],
  ] as const) {
    ran.length = 0
    const runner = clientOf(gateway, Client).beta.messages.toolRunner({
      ...asked(model),
      stream: true,
      tools: [tool('choose'), tool('look_up_here')] as never,
    })
    let answers = 0
    for await (const stream of runner) {
      await stream.finalMessage()
      answers++
    }
    expect(ran).toEqual(expected)
    expect(answers).toBe(expected.length + 1)
  }
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
