import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, shut } from '../src/loopback.ts'
import { provider } from '../src/provider.ts'
import { relay } from '../src/relay.ts'

const model = provider()
let modelUrl = ''

beforeAll(async () => {
  modelUrl = `${await listen(model)}/v1/chat/completions`
})
afterAll(() => shut(model))

/** What comes over the network, up to where it breaks. */
async function received(url: string, method: string): Promise<string> {
  const chunks: Uint8Array[] = []
  const { body } = await fetch(url, { method })
  try {
    for await (const chunk of body ?? []) chunks.push(chunk)
  } catch {
    // What was received until then is compared, and tells a break that was not meant.
  }
  return Buffer.concat(chunks).toString()
}

test.each([
  ['whole', ''],
  ['cut', '?cut'],
])('the provider sends the %s answer as recorded', async (name, query) => {
  await expect(await received(modelUrl + query, 'POST')).toMatchFileSnapshot(`../golden/${name}.openai-chat.wire`)
})

test.each([
  ['whole', ''],
  ['cut', '?cut'],
])('the %s answer becomes the SSE wire as recorded', async (name, query) => {
  const server = relay({ provider: modelUrl + query, line: () => 1, observe() {} })
  const url = await listen(server)
  await expect(await received(url, 'GET')).toMatchFileSnapshot(`../golden/${name}.sse.wire`)
  shut(server)
})
