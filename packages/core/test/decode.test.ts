import {
  type AgentEvent,
  type Commit,
  type Decodable,
  decode,
  type Delta,
  FactwireError,
  type Failure,
  isObject,
  parseJson,
  reader,
  type WireMessage,
} from '@factwire/core'
import { expect, test } from 'vitest'

type Frame = { readonly say: string } | { readonly done: true }

/** A wire whose frames are `{"say":"…"}` and at last `{"done":true}`. */
const toy: Decodable<Frame, { readonly prefix?: string }> = {
  name: 'toy',
  framing: {
    mediaType: 'text/plain',
    headers: {},
    heartbeat: '',
    text: (frame) => JSON.stringify(frame),
    parse({ data }) {
      if (data === '') return undefined
      const value = parseJson(data)
      if (!isObject(value)) throw new FactwireError('malformed_frame', 'no object')
      if (value['done'] === true) return { done: true }
      if (typeof value['say'] === 'string') return { say: value['say'] }
      throw new FactwireError('malformed_frame', 'neither say nor done')
    },
  },
  decoder({ prefix = '' } = {}) {
    let text = ''
    let started = false
    const message = (): Commit['messages'] =>
      text ? [{ id: 'm', role: 'assistant', content: [{ type: 'text', text }] }] : []
    return {
      push(frame) {
        const items: (Delta | Commit)[] = started ? [] : [{ messages: [], state: { type: 'running' } }]
        started = true
        if ('done' in frame) {
          items.push({ messages: message(), state: { type: 'ended', cause: { type: 'natural_end' } } })
          return items
        }
        if (frame.say === 'burst') throw new Error('the decoder broke')
        text += prefix + frame.say
        items.push({ type: 'text_delta', delta: prefix + frame.say })
        return items
      },
      end(failure: Failure = { code: 'stream_truncated' }) {
        return [{ messages: message(), state: { type: 'ended', cause: { type: 'error', failure } } }]
      },
      run: () => ({ runId: 'ru' }),
    }
  },
}

const messages = (...datas: string[]): WireMessage[] => datas.map((data) => ({ data }))

async function eventsOf(source: AsyncIterable<WireMessage> | Iterable<WireMessage>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of decode(toy, source)) events.push(event)
  return events
}

const shown = (events: readonly AgentEvent[]): string[] => events.map(({ event }) => event.type)
const failure = (events: readonly AgentEvent[]): unknown => events.at(-1)?.event

test('gives the deltas as they come and the facts of each commit', () => {
  const { push } = reader(toy)
  const [first = { data: '' }, second = { data: '' }, third = { data: '' }] = messages(
    '{"say":"Hel"}',
    '{"say":"lo"}',
    '{"done":true}',
  )
  expect(shown(push(first))).toStrictEqual(['run_started', 'text_delta'])
  expect(shown(push(second))).toStrictEqual(['text_delta'])
  expect(push(third).map(({ event }) => event)).toMatchObject([
    { type: 'assistant_message', content: [{ type: 'text', text: 'Hello' }] },
    { type: 'step_ended' },
    { type: 'run_finished', exhausted: false },
  ])
})

test('passes its options on to the decoder and the fold', () => {
  const { push, run } = reader(toy, { decoder: { prefix: '>' }, additions: false })
  const events = messages('{"say":"a"}', '{"done":true}').flatMap((message) => [...push(message)])
  expect(JSON.stringify(events.map(({ event }) => event))).toBe(
    '[{"type":"run_started"},{"type":"text_delta","delta":">a"},' +
      '{"type":"assistant_message","id":"m","content":[{"type":"text","text":">a"}]},{"type":"run_finished","exhausted":false}]',
  )
  expect(run()).toStrictEqual({ runId: 'ru' })
})

test('goes on where a run stood', () => {
  const { push } = reader(toy, { standing: { state: { type: 'running' }, openCalls: [] } })
  expect(shown(push({ data: '{"say":"a"}' }))).toStrictEqual(['text_delta'])
})

test('ends as failed at a malformed message and keeps what came before', async () => {
  const events = await eventsOf(messages('', '{"say":"Hel"}', 'nonsense', '{"done":true}'))
  expect(shown(events)).toStrictEqual(['run_started', 'text_delta', 'assistant_message', 'step_ended', 'run_failed'])
  expect(failure(events)).toMatchObject({ code: 'stream_malformed' })
  expect(failure(events)).toHaveProperty('message', expect.stringMatching(/^toy message 3: /))
})

test('ends as failed when the source throws and keeps what came before', async () => {
  async function* broken(): AsyncGenerator<WireMessage> {
    yield* messages('{"say":"Hel"}')
    throw new Error('connection reset')
  }
  const events = await eventsOf(broken())
  expect(shown(events)).toStrictEqual(['run_started', 'text_delta', 'assistant_message', 'step_ended', 'run_failed'])
  expect(failure(events)).toMatchObject({ code: 'stream_failed', message: 'the stream could not be read' })
})

test('tells the host what the source threw, and the clients nothing of it', async () => {
  const refused = new Error('401 for key sk-secret')
  async function* broken(): AsyncGenerator<WireMessage> {
    yield* messages('{"say":"Hel"}')
    throw refused
  }
  const heard: unknown[] = []
  const told: AgentEvent[] = []
  for await (const event of decode(toy, broken(), { onError: (error) => heard.push(error) })) told.push(event)
  expect(heard).toStrictEqual([refused])
  expect(JSON.stringify(told)).not.toContain('secret')
})

test('ends as failed when the decoder throws', async () => {
  const events = await eventsOf(messages('{"say":"Hel"}', '{"say":"burst"}', '{"done":true}'))
  expect(shown(events)).toStrictEqual(['run_started', 'text_delta', 'assistant_message', 'step_ended', 'run_failed'])
  expect(failure(events)).toMatchObject({ code: 'stream_failed', message: 'the stream could not be read' })
})

test('ends as failed when the stream is cut, and when it is empty', async () => {
  expect(failure(await eventsOf(messages('{"say":"Hel"}')))).toMatchObject({ code: 'stream_truncated' })
  expect(shown(await eventsOf([]))).toStrictEqual(['run_started', 'run_failed'])
})

test('says nothing after its end', () => {
  const { push, end } = reader(toy)
  push({ data: 'nonsense' })
  expect(push({ data: '{"say":"a"}' })).toStrictEqual([])
  expect(end()).toStrictEqual([])
})
