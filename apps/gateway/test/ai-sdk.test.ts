/** The AI SDK's own chats, each major with its own transport, in front of the gateway. */
import { expect, test } from 'vitest'
import { type Chat, openChat, SDKS } from '../../../packages/ai-sdk/test/client.ts'
import { started, type Started } from './world.ts'

const TARGETS = ['v5', 'v6', 'v7'] as const
type Target = (typeof TARGETS)[number]

/** A page that adds the model to its requests, and the tool that it has. */
function chatOf({ url, post }: Started, target: Target, model: string): Chat {
  const {
    lastAssistantMessageIsCompleteWithToolCalls: tools,
    lastAssistantMessageIsCompleteWithApprovalResponses: approvals,
  } = SDKS[target]
  return openChat(target, {
    respond: (request) =>
      request === null
        ? fetch(`${url}/v1/ai-sdk/chat-1/stream?target=${target}`)
        : post(`/v1/ai-sdk?target=${target}`, { ...(request as object), model, tools: { choose: {} } }),
    sendWhen: (given) => tools(given) || (target !== 'v5' && approvals(given)),
  })
}

const textsOf = (chat: Chat): readonly string[] =>
  chat.page().messages.map(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|'))

const wellWith = (chat: Chat): void => {
  const { status, error, warnings } = chat.page()
  expect({ status, error, warnings }).toEqual({ status: 'ready', error: undefined, warnings: [] })
}

test.each(TARGETS)('%s: a chat has a text, goes on, and sees tools of the server', async (target) => {
  const chat = chatOf(await started(), target, 'parallel-tools')
  await chat.say('Go.')
  await chat.settled()
  wellWith(chat)
  expect(textsOf(chat)).toEqual(['Go.', 'Let me see.|It is done.'])
  expect(chat.page().ran).toEqual([])
})

test.each(TARGETS)('%s: it runs its own tool, and asks again once', async (target) => {
  const gateway = await started()
  const chat = chatOf(gateway, target, 'client-tool')
  await chat.say('Go.')
  await chat.settled()
  await chat.answer(() => ({ output: 'red' }))
  await expect.poll(() => textsOf(chat).at(-1)).toBe('Which?|It is done.')
  await chat.settled()
  wellWith(chat)
  expect(chat.page().sent).toHaveLength(2)
  const told = (await (await gateway.get('/v1/threads/chat-1/messages?as=ai-sdk')).json()) as {
    messages: readonly { id: string }[]
  }
  expect(told.messages.map(({ id }) => id)).toEqual(chat.page().messages.map(({ id }) => id))
})

test.each(['v6', 'v7'] as const)('%s: it lets somebody approve, and the tool runs once', async (target) => {
  const gateway = await started()
  const chat = chatOf(gateway, target, 'approval')
  await chat.say('Go.')
  await chat.settled()
  await chat.answer(({ asks }) => (asks ? { approved: true } : undefined))
  await expect.poll(() => textsOf(chat).at(-1)).toBe('I will remove it.|It is done.')
  await chat.settled()
  wellWith(chat)
  expect(JSON.stringify(chat.page().messages)).toContain('removed /tmp/x')
})

test.each(TARGETS)(
  '%s: a page that was loaded again reads on, and has nothing to read when it is over',
  async (target) => {
    const gateway = await started({ pace: 40 })
    const first = chatOf(gateway, target, 'parallel-tools')
    const asked = first.say('Go.')
    await expect.poll(() => textsOf(first).at(-1)).toContain('Let me see.')
    const second = chatOf(gateway, target, 'parallel-tools')
    await second.resume(undefined as unknown as string)
    await second.settled()
    await asked
    wellWith(second)
    expect(textsOf(second)).toEqual([textsOf(first).at(-1)])
    const gone = await gateway.get('/v1/ai-sdk/chat-1/stream')
    expect(gone.status).toBe(204)
  },
)

test.each(TARGETS)('%s: an answer that is asked for again takes the place of the one before', async (target) => {
  const gateway = await started()
  const chat = chatOf(gateway, target, 'text')
  await chat.say('One.')
  await chat.settled()
  await chat.say('Two.')
  await chat.settled()
  await chat.regenerate()
  await chat.settled()
  wellWith(chat)
  expect(textsOf(chat)).toEqual(['One.', 'Hello 🌍.', 'Two.', 'Hello 🌍.'])
  const { items } = (await (await gateway.get('/v1/runs')).json()) as { items: readonly unknown[] }
  expect(items).toHaveLength(3)
  const told = (await (await gateway.get('/v1/threads/chat-1/messages?as=ai-sdk')).json()) as {
    messages: readonly { id: string }[]
  }
  expect(told.messages.map(({ id }) => id)).toEqual(chat.page().messages.map(({ id }) => id))
})

test('what a chat is refused it shows', async () => {
  const gateway = await started()
  const answer = await gateway.post('/v1/ai-sdk', { id: 'chat-1', messages: 1 })
  expect([answer.status, await answer.json()]).toEqual([400, { error: expect.any(String), code: 'invalid_value' }])
})
