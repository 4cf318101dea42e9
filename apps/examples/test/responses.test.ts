import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { agent } from '@factwire/runtime'
import { OpenAI } from 'openai'
import { expect, test, vi } from 'vitest'
import { app as expressApp } from '../src/responses/express.ts'
import { app as honoApp } from '../src/responses/hono.ts'
import { model } from '../src/responses/model.ts'
import { handle } from '../src/responses/node.ts'
import { POST } from '../src/responses/route.ts'
import { serving, web } from './serving.ts'

// Servers and clients take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const node: RequestListener = (request, response) => void handle(request, response)
const servers: readonly [string, RequestListener][] = [
  ['node', node],
  ['Hono', web(honoApp.fetch)],
  ['Express', expressApp],
  ['a route', web(POST)],
]

const clientOf = (url: string): OpenAI => new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })

test('the README shows its examples as they stand here, and no other', () => {
  const readme = readFileSync(new URL('../../../packages/openai-responses/README.md', import.meta.url), 'utf8')
  const shown = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
  const files = ['answer', 'route', 'hono', 'express', 'node', 'model']
  expect(shown).toEqual(
    files.map((name) => readFileSync(new URL(`../src/responses/${name}.ts`, import.meta.url), 'utf8')),
  )
})

test.each(servers)('%s streams a response to the official client', async (_name, listener) => {
  const { text, status, fragments } = await serving(listener, async (url) => {
    const stream = clientOf(url).responses.stream({ model: 'm', input: 'good morning' })
    let count = 0
    stream.on('response.output_text.delta', () => count++)
    const { output_text, status: ended } = await stream.finalResponse()
    return { text: output_text, status: ended, fragments: count }
  })
  expect({ text, status }).toEqual({ text: 'You said: good morning', status: 'completed' })
  expect(fragments).toBe(3)
})

test.each(servers)('%s answers as a whole where no stream is asked for', async (_name, listener) => {
  const response = await serving(listener, (url) => clientOf(url).responses.create({ model: 'm', input: 'hi' }))
  expect(response).toMatchObject({ object: 'response', status: 'completed', output_text: 'You said: hi' })
})

test.each(servers)('%s says what is wrong with a request', async (_name, listener) => {
  const refused = serving(listener, (url) =>
    clientOf(url).responses.create({ model: 'm', input: 7 as unknown as string }),
  )
  await expect(refused).rejects.toMatchObject({ status: 400, code: 'invalid_value' })
})

test.each(servers)('%s tells that the model broke off', async (_name, listener) => {
  const { status, error } = await serving(listener, (url) =>
    clientOf(url).responses.stream({ model: 'm', input: 'now crash' }).finalResponse(),
  )
  expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'stream_failed' })
  expect(error?.message).not.toContain('the model is gone')
})

test('an agent asks a server of this wire', async () => {
  const said = await serving(node, async (url) => {
    const facts: string[] = []
    await agent({
      model: model(`${url}/v1`, 'none'),
      fetch,
      clock: { now: Date.now, after: () => () => undefined },
      tools: [],
    }).run({
      threadId: 't',
      runId: 'r',
      messages: [{ id: 'u', role: 'user', content: [{ type: 'text', text: 'good morning' }] }],
      thread: { messages: [], standing: { openCalls: [] } },
      output: { write: ({ events }) => void facts.push(...events.map(({ event }) => JSON.stringify(event))) },
    }).over
    return facts
  })
  expect(said.join()).toContain('You said: good morning')
  expect(said.at(-1)).toContain('run_finished')
})
