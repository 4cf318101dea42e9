/** Gateways that are each other's providers: one asks, the other answers, on every wire that a provider can be asked in. */
import { expect, test } from 'vitest'
import { valuesIn } from '../src/folder.ts'
import { providerUpstream, type UpstreamWire } from '../src/index.ts'
import { upstream as chat } from '../src/upstreams/chat.ts'
import { go, started, type Started } from './world.ts'

const wires = [...(await valuesIn<UpstreamWire>(new URL('../src/upstreams/', import.meta.url), 'upstream'))]

async function behind(
  asking: UpstreamWire,
  instructions?: string,
): Promise<{ front: Started; back: Started; asked: string[] }> {
  const back = await started()
  const asked: string[] = []
  const models = ['text', 'client-tool', 'reasoning', 'unauthorized', 'many-rounds']
  const upstream = providerUpstream(asking, { url: `${back.url}/v1/`, key: 'key-of-a-test', models })
  const choose = {
    name: 'choose',
    description: 'asks the user',
    run: (input: unknown): string => {
      asked.push(JSON.stringify(input))
      return 'red'
    },
  }
  const front = await started({ upstream, tools: [choose], ...(instructions === undefined ? {} : { instructions }) })
  return { front, back, asked }
}

const textsIn = async ({ get }: Started, thread: string): Promise<readonly unknown[]> => {
  const answer = await get(`/v1/threads/${thread}/messages?as=openai-chat`)
  return ((await answer.json()) as { messages: readonly { content: unknown }[] }).messages.map(({ content }) => content)
}

test.each(wires)('%s brings a text, with the words that the model is told first', async (_name, asking) => {
  const { front: middle, back } = await behind(chat, 'Be brief.')
  const models = ['text']
  const upstream = providerUpstream(asking, { url: `${middle.url}/v1`, key: 'key-of-a-test', models })
  const front = await started({ upstream, tools: [], instructions: 'Be kind.' })
  const answer = await (await front.post('/v1/runs', go('text', { thread_id: 'thread-1' }))).text()
  expect(answer).toContain('"type":"natural_end"')
  expect(answer).toContain('"completion_tokens":5')
  expect(await textsIn(front, 'thread-1')).toEqual(['Go.', 'Hello 🌍.'])
  const { items } = (await (await back.get('/v1/runs')).json()) as { items: readonly { thread_id: string }[] }
  const [first, ...rest] = await textsIn(back, items[0]?.thread_id ?? '')
  // As a word to this run, or as a message of the thread: wires differ.
  expect([first, ...rest].slice(0, -2).join('\n\n')).toBe('Be brief.\n\nBe kind.')
  expect(rest.slice(-2)).toEqual(['Go.', 'Hello 🌍.'])
})

test.each(wires)('%s brings calls, takes their results, and goes on with the same run', async (_name, asking) => {
  const { front, back, asked } = await behind(asking)
  await (await front.post('/v1/runs', go('client-tool', { thread_id: 'thread-1' }))).text()
  expect(asked).toEqual(['{"of":["red","blue"]}'])
  expect((await textsIn(front, 'thread-1')).at(-1)).toBe('It is done.')
  const { items } = (await (await back.get('/v1/runs')).json()) as { items: readonly { status: string }[] }
  expect(items.map(({ status }) => status)).toEqual(['ended'])
})

test.each(wires)('%s brings what went wrong as a failed run', async (_name, asking) => {
  const { front } = await behind(asking)
  const answer = await (await front.post('/v1/runs', go('unauthorized'))).text()
  expect(answer).toContain('"termination":{"type":"error"')
})
