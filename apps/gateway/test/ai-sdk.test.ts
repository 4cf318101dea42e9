/** What the AI SDK's own chats meet beside the scenes of the matrix. */
import { expect, test } from 'vitest'
import { type Chat, openChat } from '../../../packages/ai-sdk/test/client.ts'
import { started, type Started } from './world.ts'

const TARGETS = ['v5', 'v6', 'v7'] as const
type Target = (typeof TARGETS)[number]

/** A page that adds the model to its requests. */
const chatOf = ({ post }: Started, target: Target, model: string): Chat =>
  openChat(target, { respond: (request) => post(`/v1/ai-sdk?target=${target}`, { ...(request as object), model }) })

const textsOf = (chat: Chat): readonly string[] =>
  chat.page().messages.map(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|'))

const wellWith = (chat: Chat): void => {
  const { status, error, warnings } = chat.page()
  expect({ status, error, warnings }).toEqual({ status: 'ready', error: undefined, warnings: [] })
}

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
  // It is over: a page that is loaded now has nothing to read.
  expect((await gateway.get('/v1/ai-sdk/chat-1/stream')).status).toBe(204)
})

test('what a chat is refused it shows', async () => {
  const gateway = await started()
  const answer = await gateway.post('/v1/ai-sdk', { id: 'chat-1', messages: 1 })
  expect([answer.status, await answer.json()]).toEqual([400, { error: expect.any(String), code: 'invalid_value' }])
})
