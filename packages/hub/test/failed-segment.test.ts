import { openaiChat } from '@factwire/openai-chat'
import { expect, test } from 'vitest'
import { client, world } from './world.ts'

const RUN = { threadId: 'thread-1', runId: 'run-1' }

test('who comes in the segment after one whose stream had failed is told that segment, and not an empty one', async () => {
  const { hub, settle } = world()
  const producer = await hub.produce(RUN)
  const first = client(await hub.attach('run-1', openaiChat, { onLeave: 'keep' }))
  await producer.commit({ messages: [], state: { type: 'running' } })
  producer.delta({ type: 'text_delta', message_id: 'message-1', offset: 0, delta: 'Wrong' })
  await settle()
  const said = { id: 'message-1', role: 'assistant', content: [{ type: 'text', text: 'Right.' }] } as const
  await producer.commit({ messages: [said], state: { type: 'running' } })
  await settle()
  await producer.commit({ messages: [], state: { type: 'awaiting' }, pending: [] })
  await settle()
  expect(first.text()).toContain('stream_reconciliation_failed')
  const next = await hub.produce(RUN)
  await next.commit({ messages: [], state: { type: 'running' } })
  const second = client(await hub.attach('run-1', openaiChat, { has: 'thread', onLeave: 'keep' }))
  const more = { id: 'message-2', role: 'assistant', content: [{ type: 'text', text: 'More.' }] } as const
  await next.commit({ messages: [more], state: { type: 'ended', cause: { type: 'natural_end' } } })
  await settle()
  expect(second.left).toBe('complete')
  expect(second.text()).toContain('More.')
  expect(second.text()).toContain('[DONE]')
})
