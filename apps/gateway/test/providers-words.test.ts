/** What a provider says when it fails, and where it sends whoever asks, is not for clients. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { providerUpstream } from '../src/index.ts'
import { upstream as chat } from '../src/upstreams/chat.ts'
import { upstream as messages } from '../src/upstreams/messages.ts'
import { upstream as responses } from '../src/upstreams/responses.ts'
import { go, started } from './world.ts'

const KEY = 'sk-canary-of-the-host'
const wires = { chat, messages, responses }

async function asking(wire: keyof typeof wires, provider: RequestListener): Promise<string[]> {
  const server = createServer(provider).listen(0, '127.0.0.1')
  try {
    const { port } = await new Promise<AddressInfo>((resolve) => {
      server.once('listening', () => resolve(server.address() as AddressInfo))
    })
    const upstream = providerUpstream(wires[wire], { url: `http://127.0.0.1:${port}`, key: KEY, models: ['m'] })
    const { post, get } = await started({ upstream })
    const streamed = await post('/v1/runs', go('m', { thread_id: 'thread-1' }))
    const whole = await post('/v1/chat/completions', go('m'))
    return [await streamed.text(), await whole.text(), await (await get('/v1/audit')).text()]
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test.each(['chat', 'messages', 'responses'] as const)('%s: its key is in no answer, whoever says it', async (wire) => {
  const error = { type: 'authentication_error', code: 'invalid_api_key', message: `Incorrect API key provided: ${KEY}` }
  const said = await asking(wire, (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }))
  })
  expect(said.join('\n')).not.toContain(KEY)
  for (const answer of said) expect(answer).toContain('the provider refused who asks')
})

test.each(['chat', 'messages', 'responses'] as const)(
  '%s: nobody is asked but who was named',
  async (wire) => {
    let heard = 0
    const elsewhere = createServer((_request, response) => {
      heard++
      response.end()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => elsewhere.once('listening', resolve))
    const { port } = elsewhere.address() as AddressInfo
    const said = await asking(wire, (_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end()
    })
    elsewhere.close()
    expect(heard).toBe(0)
    expect(said[0]).toContain('run_finish')
    expect(said.join('\n')).not.toContain(String(port))
  },
  60_000,
)
