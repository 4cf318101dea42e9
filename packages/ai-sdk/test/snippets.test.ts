import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type AgentEvent, type Commit, runWriter } from '@factwire/core'
import type { AiSdkRequest } from '@factwire/ai-sdk'
import { expect, test } from 'vitest'
import type { Target } from '../src/wire.ts'
import { openChat, type UIMessage } from './client.ts'
import { ASKED, fullStream, SCENES } from './official.ts'
import { expressApp } from './snippets/express.ts'
import { honoApp } from './snippets/hono.ts'
import { nodeServer } from './snippets/node-http.ts'
import { chatRoute } from './snippets/route.ts'
import { serve } from './snippets/stream-text.ts'

async function* agent({ messages }: AiSdkRequest, runId: string): AsyncGenerator<AgentEvent> {
  const say = runWriter({ runId, history: messages })
  for (const piece of ['You said ', String(messages.length), '.']) yield* say.text(piece).events
  yield* say.end().events
}

async function listening(server: Server, use: (url: string) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const handled = (handle: (request: Request) => Response | Promise<Response>): Server =>
  createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => void pieces.push(piece))
    request.on('end', () => {
      const { method = 'POST', headers, url = '/' } = request
      const given = new Request(`http://localhost${url}`, {
        method,
        headers: { 'content-type': headers['content-type'] ?? '' },
        body: Buffer.concat(pieces),
      })
      void Promise.resolve(handle(given)).then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        response.end(Buffer.from(await answer.arrayBuffer()))
      })
    })
  })

const servers: readonly (readonly [string, () => Server])[] = [
  ['a route handler', () => handled(chatRoute(agent))],
  ['Hono', () => handled((request) => honoApp(agent).fetch(request))],
  ['Express', () => createServer(expressApp(agent) as unknown as RequestListener)],
  ['plain node', () => nodeServer(agent)],
]
const TARGETS: readonly Target[] = ['v5', 'v6', 'v7']

test.each(servers.flatMap(([name, server]) => TARGETS.map((target) => [name, target, server] as const)))(
  '%s answers a chat of %s over a socket',
  async (_name, target, server) => {
    await listening(server(), async (url) => {
      const chat = openChat(target, {
        respond: (body) =>
          fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      await chat.say('Hi')
      const { status, messages } = chat.page()
      expect(status).toBe('ready')
      expect(messages.at(-1)).toMatchObject({
        id: `answer-to-${messages[0]?.id}`,
        parts: [{ type: 'step-start' }, { type: 'text', text: 'You said 1.', state: 'done' }],
      })
    })
  },
)

test.each(servers)('%s refuses a body that is none, in words', async (_name, server) => {
  await listening(server(), async (url) => {
    const post = (body: string): Promise<Response> =>
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const chat = openChat('v6', { respond: () => post('{"id":1}') })
    await chat.say('Hi')
    expect(chat.page().error?.message).toContain('messages: expected an array')
    const refused = await post('{"id":')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/json'])
    expect(await refused.json()).toMatchObject({ code: 'malformed_json' })
    const long = await post(JSON.stringify({ id: 'x'.repeat(2 * 1024 * 1024) })).catch(String)
    // One that is cut off while it still sends may never read why.
    expect([413, 'TypeError: fetch failed']).toContain(typeof long === 'string' ? long : long.status)
  })
})

test.each(servers.slice(2))('%s outlives a client that leaves in the middle of its question', async (_name, open) => {
  const server = open()
  await listening(server, async (url) => {
    const client = connect(Number(new URL(url).port), '127.0.0.1')
    const asked = once(server, 'request')
    client.write(
      'POST /api/chat HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"id"',
    )
    const [request] = (await asked) as [IncomingMessage]
    const left = new Promise((resolve) => request.once('close', resolve))
    client.destroy()
    await left
    const chat = openChat('v6', {
      respond: (body) =>
        fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    await chat.say('Hi')
    expect(chat.page().status).toBe('ready')
  })
})

test.each(TARGETS)('what streamText of %s gives is served on any wire, and stored', async (target) => {
  const commits: Commit[] = []
  const store = async (commit: Commit): Promise<void> => void commits.push(commit)
  const history = [{ id: 'user-1', role: 'user', content: [{ type: 'text', text: 'Go' }] }] as const
  const scene = SCENES['one-call'] ?? { turns: [] }
  const chat = openChat(target, { messages: ASKED as readonly UIMessage[] })
  const served = serve({ fullStream: fullStream(target, scene) }, { history, store, accept: 'ai-sdk' })
  await chat.ask(await served.text())
  expect(chat.page().messages.at(-1)?.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'Let me see.' },
    { type: 'tool-look', output: { seen: 'a cat' } },
    { type: 'step-start' },
    { type: 'text', text: 'A cat.' },
  ])
  expect(commits.flatMap(({ messages }) => messages.map(({ role }) => role))).toEqual([
    'assistant',
    'tool',
    'assistant',
  ])
  const other = await serve({ fullStream: fullStream(target, scene) }, { history, store, accept: 'sse' }).text()
  expect(other).toContain('"event_type":"run_finish"')
})
