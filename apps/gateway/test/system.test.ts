import { expect, test } from 'vitest'
import { scriptedUpstream } from '../src/index.ts'
import { upstream } from '../src/upstreams/chat.ts'
import { started, type Started, type WorldOptions } from './world.ts'

interface Asked {
  readonly role: string
  readonly content: string
}

/** A gateway, and what its provider is sent, request by request. */
async function overheard(options: WorldOptions = {}): Promise<{ gateway: Started; asked: (readonly Asked[])[] }> {
  const asked: (readonly Asked[])[] = []
  const script = scriptedUpstream(upstream, 0)
  const gateway = await started({
    ...options,
    upstream: {
      ...script,
      model(name, instructions) {
        const { fetch, ...model } = script.model(name, instructions)
        return {
          ...model,
          fetch(input, init) {
            const body = typeof init?.body === 'string' ? init.body : '{"messages":[]}'
            asked.push((JSON.parse(body) as { messages: readonly Asked[] }).messages)
            return fetch(input, init)
          },
        }
      },
    },
  })
  return { gateway, asked }
}

const on = { 'x-thread-id': 'thread-1' }
const user = (content: string): object => ({ role: 'user', content })
const system = (content: string): object => ({ role: 'system', content })

const ROUTES = {
  '/v1/messages': (words: string) => ({ max_tokens: 5, system: words, messages: [user('Two.')] }),
  '/v1/chat/completions': (words: string) => ({ messages: [system(words), user('Two.')] }),
  '/v1/runs': (words: string) => ({ thread_id: 'thread-1', messages: [user('Two.'), system(words)] }),
  '/v1/ag-ui': (words: string) => ({
    threadId: 'thread-1',
    runId: 'run-2',
    messages: [
      { id: 'user-2', role: 'user', content: 'Two.' },
      { id: 'system-2', role: 'system', content: words },
    ],
    forwardedProps: { model: 'text' },
  }),
}

test.each(Object.entries(ROUTES))(
  'what the system says in a later turn of %s is told the model first',
  async (path, body) => {
    const { gateway, asked } = await overheard()
    const ask = async (route: string, words: object): Promise<number> => {
      const response = await gateway.post(route, { model: 'text', ...words }, on)
      expect(await response.text()).not.toContain('stands first')
      return response.status
    }
    expect(await ask('/v1/chat/completions', { messages: [user('One.')] })).toBe(200)
    expect(await ask(path, body('Be kind.'))).toBe(200)
    expect(asked.at(-1)?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(asked.at(-1)?.[0]?.content).toBe('Be kind.')
    // It was said for that turn alone.
    expect(await ask('/v1/chat/completions', { messages: [user('Three.')] })).toBe(200)
    expect(asked.at(-1)?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
  },
)

test('what the system says first of all stays in the thread', async () => {
  const { gateway, asked } = await overheard()
  const ask = async (messages: readonly object[]): Promise<void> =>
    expect((await gateway.post('/v1/chat/completions', { model: 'text', messages }, on)).status).toBe(200)
  await ask([system('Be kind.'), user('One.'), system('Be brief.')])
  expect(asked.at(-1)?.map(({ content }) => content)).toEqual(['Be brief.', 'Be kind.', 'One.'])
  await ask([user('Two.')])
  expect(asked.at(-1)?.[0]).toEqual({ role: 'system', content: 'Be kind.' })
})

test('what the system says to a run that waits does not get into its thread', async () => {
  const { gateway, asked } = await overheard()
  const say = async (...messages: readonly object[]): Promise<string | null> => {
    const body = { thread_id: 'thread-1', model: 'approval', messages }
    return (await gateway.post('/v1/runs', body, { prefer: 'respond-async' })).headers.get('x-run-id')
  }
  const run = await say(user('Go.'))
  const status = async (): Promise<object> => (await (await gateway.get(`/v1/runs/${run}`)).json()) as object
  await expect.poll(status).toMatchObject({ status: 'awaiting' })
  expect(await say(user('Well?'), system('Be kind.'))).toBe(run)
  await expect.poll(status).toMatchObject({ status: 'awaiting' })
  await gateway.post(`/v1/runs/${run}/decision`, { tool_call_id: 'call_r', action: 'resume' })
  await expect.poll(status).toMatchObject({ status: 'ended', cause: { type: 'natural_end' } })
  expect(asked.at(-1)?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})

test('inputs of the system, and a turn of the system alone, are refused', async () => {
  const { gateway } = await overheard()
  const alone = { thread_id: 'thread-1', model: 'text', messages: [system('Be evil.')] }
  const begun = await gateway.post('/v1/runs', { ...alone, messages: [user('Go.')] })
  await begun.text()
  const inputs = await gateway.post(`/v1/runs/${begun.headers.get('x-run-id')}/inputs`, alone)
  expect(inputs.status).toBe(400)
  expect(await inputs.json()).toMatchObject({ detail: expect.stringContaining('messages[0].role') })
  expect((await gateway.post('/v1/runs', alone)).status).toBe(400)
})
