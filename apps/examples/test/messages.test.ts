import { Anthropic } from '@anthropic-ai/sdk'
import type { AgentEvent } from '@factwire/core'
import { Anthropic as Anthropic0137 } from 'anthropic-sdk-0.137'
import { expect, test, vi } from 'vitest'
import { ask } from '../src/claude.ts'
import { app as expressApp, handle } from '../src/messages-node.ts'
import { app as honoApp, POST } from '../src/messages-web.ts'
import { serving, web } from './serving.ts'

// Servers and clients take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const doors = {
  node: (request, response) => void handle(request, response),
  express: expressApp,
  hono: web(honoApp.fetch),
  route: web(POST),
} satisfies Readonly<Record<string, Parameters<typeof serving>[0]>>

const versions = { '1.14': Anthropic, '0.137': Anthropic0137 as unknown as typeof Anthropic }

const everyone = Object.entries(doors).flatMap(([name, listener]) =>
  Object.entries(versions).map(([version, Client]) => ({ name, listener, version, Client })),
)

const asked = (content: string): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'my-agent',
  max_tokens: 100,
  messages: [{ role: 'user', content }],
})

test.each(everyone)('$name answers @anthropic-ai/sdk $version, streamed and whole', async ({ listener, Client }) => {
  const [streamed, whole] = await serving(listener, async (baseURL) => {
    const { messages } = new Client({ apiKey: 'none', baseURL, maxRetries: 0 })
    return [await messages.stream(asked('good morning')).finalMessage(), await messages.create(asked('good morning'))]
  })
  for (const { content, model, stop_reason } of [streamed, whole]) {
    expect(content).toMatchObject([{ type: 'text', text: 'You said: good morning' }])
    expect({ model, stop_reason }).toEqual({ model: 'my-agent', stop_reason: 'end_turn' })
  }
})

test.each(everyone)('$name tells @anthropic-ai/sdk $version of failures, once', async ({ listener, Client }) => {
  await serving(listener, async (baseURL) => {
    const { messages } = new Client({ apiKey: 'none', baseURL, maxRetries: 2 })
    await expect(messages.stream(asked('now crash')).finalMessage()).rejects.toMatchObject({
      error: { error: { type: 'api_error', code: 'stream_failed' } },
    })
    await expect(messages.create(asked('now crash'))).rejects.toMatchObject({ status: 500 })
    await expect(messages.create({ ...asked('x'), system: 7 as never })).rejects.toMatchObject({
      status: 400,
      error: {
        error: {
          type: 'invalid_request_error',
          message: 'system: expected a string or an array of blocks, got number',
        },
      },
    })
    const big = await fetch(`${baseURL}/v1/messages`, { method: 'POST', body: '{' })
    expect([big.status, await big.json()]).toMatchObject([400, { error: { code: 'malformed_json' } }])
  })
})

test('a provider is asked with a thread, and its answer is read as events', async () => {
  const thread = [
    { id: 's', role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    { id: 'u', role: 'user', content: [{ type: 'text', text: 'good morning' }] },
  ] as const
  const events: AgentEvent[] = []
  await serving(doors.node, async (url) => {
    for await (const event of ask(url, 'key', thread)) events.push(event)
  })
  expect(events.map(({ event }) => event)).toContainEqual(
    expect.objectContaining({ type: 'assistant_message', content: [{ type: 'text', text: 'You said: good morning' }] }),
  )
  expect(events.at(-1)?.event).toMatchObject({ type: 'run_finished' })
})
