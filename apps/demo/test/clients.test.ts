import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, shut } from '../src/loopback.ts'
import type { Reading } from '../src/outcome.ts'
import { provider } from '../src/provider.ts'
import { relay } from '../src/relay.ts'
import { answerOf, runOf } from '../src/run.ts'
import { type Wire, wires } from '../src/wires.ts'

let modelUrl = ''
let serverUrl = ''
const model = provider()
// A run of its own for each reader.
const server = relay({ [Symbol.asyncIterator]: () => runOf(answerOf(modelUrl), () => 1)[Symbol.asyncIterator]() })

beforeAll(async () => {
  modelUrl = await listen(model)
  serverUrl = await listen(server)
})
afterAll(() => {
  shut(model)
  shut(server)
})

/** What a client makes of bytes that a server sends and then ends, in good order. */
async function reading({ read, base }: Wire, status: number, body: string): Promise<Reading> {
  const other = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'text/event-stream' }).end(body)
  })
  try {
    return await read((await listen(other)) + base)
  } finally {
    shut(other)
  }
}

test.each(wires)('a stream that stops before its end is no success to $client', async (wire) => {
  const answer = await fetch(serverUrl + wire.base, { method: 'POST' })
  const frames = (await answer.text()).split('\n\n')
  const whole = await reading(wire, 200, frames.join('\n\n'))
  expect(whole.ending).toBe('awaits call_1, call_2')
  const part = await reading(wire, 200, `${frames.slice(0, 8).join('\n\n')}\n\n`)
  expect(part.ending).toMatch(/^(running|no end|failed: .*)$/)
})

test.each(wires)('a refusal is no success to $client', async (wire) => {
  const { text, ending } = await reading(wire, 404, '')
  expect(text).toBe('')
  expect(ending).toMatch(/^(idle|no end|failed: .*)$/)
})
