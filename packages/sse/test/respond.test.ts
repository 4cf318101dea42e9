import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AgentEvent, deltaEvent, factEvent } from '@factwire/core'
import { expect, test, vi } from 'vitest'
import { type RespondOptions, type NodeResponse, respond, sse, writeTo } from '../src/index.ts'

const run = { threadId: 't', runId: 'r' }
const start = factEvent({ type: 'run_started' })
const finish = factEvent({ type: 'run_finished', exhausted: false })
const say = (delta: string): AgentEvent => deltaEvent({ type: 'text_delta', delta })

/** A source that is fed by hand. */
function feed(): AsyncIterable<AgentEvent> & {
  give(event: AgentEvent): void
  fail(error: Error): void
  closed: boolean
  taken: number
} {
  const waiting: AgentEvent[] = []
  let wake: (() => void) | undefined
  let error: Error | undefined
  const source = {
    closed: false,
    taken: 0,
    give(event: AgentEvent) {
      waiting.push(event)
      wake?.()
    },
    fail(reason: Error) {
      error = reason
      wake?.()
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const event = waiting.shift()
          if (event) {
            source.taken++
            yield event
          } else if (error) throw error
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        source.closed = true
      }
    },
  }
  return source
}

/** A run that goes on for ever, and counts how often it is closed. */
function counted(whenClosed = (): void => undefined): Iterable<AgentEvent> & { asked: number; closed: number } {
  const source = {
    asked: 0,
    closed: 0,
    [Symbol.iterator]: () => ({
      next: () => ({ done: false as const, value: source.asked++ === 0 ? start : say('x') }),
      return() {
        source.closed++
        whenClosed()
        return { done: true as const, value: undefined }
      },
    }),
  }
  return source
}

const respondTo = (events: Parameters<typeof respond>[1], options: RespondOptions<unknown> = {}): Response =>
  respond(sse, events, run, options)

test('a run becomes a response with the headers of its wire', async () => {
  const response = respondTo([start, say('Hi'), finish])
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  const text = await response.text()
  expect(text.startsWith('id: 0\ndata: {"event_type":"run_start","thread_id":"t","run_id":"r"}\n\n')).toBe(true)
  expect(text).toContain(
    'data: {"event_type":"step_start","message_id":"r-live-0"}\n\nid: 1\ndata: {"event_type":"text_delta","delta":"Hi"}\n\n',
  )
})

test('the body ends with the segment, even if the source goes on', async () => {
  const source = feed()
  for (const event of [start, finish, start]) source.give(event)
  const text = await respondTo(source).text()
  expect(text.match(/run_finish/g)).toHaveLength(1)
  expect(source.closed).toBe(true)
})

test('a source that throws ends as a failed run, and the host is told', async () => {
  const source = feed()
  const errors: unknown[] = []
  source.give(start)
  source.fail(new Error('database gone'))
  const text = await respondTo(source, { onError: (error) => errors.push(error) }).text()
  expect(text).toContain('"termination":{"type":"error"')
  expect(text).not.toContain('database gone')
  expect(errors).toEqual([new Error('database gone')])
})

test('a reader that leaves closes the source', async () => {
  const source = feed()
  source.give(start)
  const reader = respondTo(source).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  source.give(say('x'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(source.closed).toBe(true)
  expect(source.taken).toBe(2)
})

test('a reader that does not read holds the source back', async () => {
  let taken = 0
  async function* endless(): AsyncGenerator<AgentEvent> {
    yield start
    for (;;) {
      taken++
      yield say('x'.repeat(1000))
    }
  }
  const reader = respondTo(endless()).body?.getReader()
  await reader?.read()
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  const before = taken
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(taken).toBe(before)
  expect(taken).toBeLessThan(50)
  await reader?.cancel()
})

test('what comes in one tick is one chunk', async () => {
  const source = feed()
  const reader = respondTo(source).body?.getReader()
  for (const event of [start, say('a'), say('b'), say('c')]) source.give(event)
  const { value } = (await reader?.read()) ?? {}
  expect(new TextDecoder().decode(value).match(/data:/g)).toHaveLength(5)
  await reader?.cancel()
})

test('an idle stream gets heartbeats between frames', async () => {
  const source = feed()
  const reader = respondTo(source, { heartbeat: 5 }).body?.getReader()
  source.give(start)
  await reader?.read()
  const { value } = (await reader?.read()) ?? {}
  expect(new TextDecoder().decode(value)).toBe(': heartbeat\n')
  await reader?.cancel()
})

test.each([Infinity, 2 ** 31])('a heartbeat after %d ms is too far away for a timer', async (heartbeat) => {
  const timer = vi.spyOn(globalThis, 'setTimeout')
  try {
    expect(await respondTo([start, finish], { heartbeat }).text()).toContain('run_finish')
    expect(timer).not.toHaveBeenCalled()
    await respondTo([start, finish], { heartbeat: 2 ** 31 - 1 }).text()
    expect(timer).toHaveBeenCalled()
  } finally {
    timer.mockRestore()
  }
})

test('an error handler that throws leaves nothing open', async () => {
  const source = feed()
  source.give(start)
  source.fail(new Error('database gone'))
  const text = await respondTo(source, {
    onError: () => {
      throw new Error('log full')
    },
  }).text()
  expect(text).toContain('"termination":{"type":"error"')
})

test('a source that throws when it is closed breaks nothing', async () => {
  const source = counted(() => {
    throw new Error('cannot close')
  })
  const reader = respondTo(source).body?.getReader()
  await reader?.read()
  await expect(reader?.cancel()).resolves.toBeUndefined()
  expect(source.closed).toBeGreaterThan(0)
})

async function served(events: Parameters<typeof respond>[1], read: (url: string) => Promise<void>): Promise<void> {
  const written: Promise<void>[] = []
  const server = createServer((_request, response: NodeResponse) => {
    written.push(writeTo(response, sse, events, run))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await read(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await Promise.all(written)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

test('a node response carries the same stream and is ended', async () => {
  await served([start, say('Hi'), finish], async (url) => {
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe(await respondTo([start, say('Hi'), finish]).text())
  })
})

test('a node response whose reader leaves closes the source', async () => {
  const source = feed()
  source.give(start)
  await served(source, async (url) => {
    const abort = new AbortController()
    const response = await fetch(url, { signal: abort.signal })
    await response.body?.getReader().read()
    abort.abort()
    while (!source.closed) {
      source.give(say('x'))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  expect(source.closed).toBe(true)
})

/** A node response that was closed, or closes once it was written to. */
function gone(after: number): NodeResponse & { written: number } {
  const response = {
    written: 0,
    writeHead: () => undefined,
    flushHeaders: () => undefined,
    write: () => ++response.written < after,
    end: () => undefined,
    once: () => undefined,
    off: () => undefined,
    get destroyed() {
      return response.written >= after
    },
    writableEnded: false,
  }
  return response
}

test.each([0, 1])('a node response that is gone after %i writes closes the source', async (after) => {
  const source = counted()
  const response = gone(after)
  await writeTo(response, sse, source, run)
  expect(source.closed).toBe(1)
  expect(response.written).toBe(after)
})
