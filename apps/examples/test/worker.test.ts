import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { scriptOf } from './bundle.ts'
import { viewOf } from './serving.ts'

// Servers and clients take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** What a worker has beyond the language itself. */
const WEB = {
  AbortController,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  clearTimeout,
  crypto,
  setTimeout,
}

type Fetch = (request: Request) => Promise<Response>

test('the worker answers where there are web standards and nothing of node', async () => {
  const script = await scriptOf('worker.ts', 'worker')
  const { fetch, has } = runInNewContext(
    `${script}; ({ fetch: worker.default.fetch, has: typeof process + typeof Buffer })`,
    WEB,
  ) as {
    fetch: Fetch
    has: string
  }
  expect(has).toBe('undefinedundefined')
  const answer = await fetch(new Request('https://worker.example/?question=good+morning'))
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  expect(await viewOf(answer)).toMatchObject({ status: 'finished', response: 'You said: good morning' })
  const broken = await fetch(new Request('https://worker.example/?question=now+crash'))
  expect(await viewOf(broken)).toMatchObject({ status: 'failed', error: { code: 'stream_failed' } })
})
