import { join } from 'node:path'
import { HttpAgent } from '@ag-ui/client'
import { EventSource } from 'eventsource'
import { OpenAI } from 'openai'
import type { Tool } from '@factwire/runtime'
import { describe, expect, test } from 'vitest'
import { ticketFile } from '../src/ticket-file.ts'
import { sha256 } from '../src/tokens.ts'
import { folder, inFile, inMemory, isThere, type Kept, needsIt } from './kept.ts'
import { go, started, type Started } from './world.ts'

describe('a store that outlives the server', () => {
  restarts(inMemory)
})
describe.skipIf(!isThere)(`${needsIt}a store in a file`, () => {
  restarts(inFile)
})

function restarts({ place }: Kept): void {
  test.each([undefined, 'thread-1'])(
    'an answer that comes again under its key after a restart is the one that there is, thread %j',
    async (thread) => {
      const open = place()
      const before = await started({ storage: open })
      const tools = [{ type: 'function', function: { name: 'choose' } }]
      const named = thread === undefined ? {} : { 'x-thread-id': thread }
      const asked = await before.post('/v1/chat/completions', go('client-tool', { tools }), named)
      const { choices } = (await asked.json()) as { choices: readonly [{ message: object }] }
      const answer = (content: string): object => {
        const messages = [
          { role: 'user', content: 'Go.' },
          choices[0].message,
          { role: 'tool', tool_call_id: 'call_c', content },
        ]
        return { model: 'client-tool', tools, messages }
      }
      const send = async ({ post }: Started, content: string): Promise<readonly unknown[]> => {
        const response = await post('/v1/chat/completions', answer(content), { ...named, 'idempotency-key': 'key-1' })
        await response.text()
        return [response.status, response.headers.get('x-run-id')]
      }
      const runId = asked.headers.get('x-run-id')
      expect(await send(before, 'red')).toEqual([200, runId])
      await before.close()

      const after = await started({ storage: open })
      expect(await send(after, 'red')).toEqual([200, runId])
      expect((await send(after, 'blue'))[0]).toBe(422)
      const { items } = (await (await after.get('/v1/runs')).json()) as { items: readonly unknown[] }
      expect(items).toHaveLength(1)
    },
  )

  test('an approval that was asked for before a restart is answered after it, and acts once', async () => {
    const open = place()
    const before = await started({ storage: open })
    const begun = await before.post('/v1/runs', go('approval', { thread_id: 'thread-1' }), { prefer: 'respond-async' })
    const { run_id } = (await begun.json()) as { run_id: string }
    await expect.poll(async () => (await runOf(before, run_id)).status).toBe('awaiting')
    await before.close()

    const after = await started({ storage: open })
    const decide = (): Promise<Response> =>
      after.post(`/v1/runs/${run_id}/decision`, { tool_call_id: 'call_r', action: 'resume' })
    const answers = await Promise.all([decide(), decide(), decide()])
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    const told = await Promise.all(answers.map(async (answer) => (await answer.json()) as { status: string }))
    expect(told.map(({ status }) => status).toSorted()).toEqual([
      'already_settled',
      'already_settled',
      'decision_submitted',
    ])
    await expect.poll(async () => (await runOf(after, run_id)).status).toBe('ended')
    expect(await resultsIn(after, 'thread-1')).toEqual(['removed /tmp/x'])
    const { items } = (await (await after.get(`/v1/audit?run=${run_id}`)).json()) as {
      items: readonly { at: number; event: { type: string } }[]
    }
    expect(items.map(({ event }) => event.type)).toEqual([
      'run_started',
      'awaiting',
      'run_started',
      'continuation',
      'run_finished',
    ])
    expect(items.every(({ at }) => at > 1_700_000_000_000)).toBe(true)
  })

  test('a client tool that was called before a restart is answered after it, by HttpAgent', async () => {
    const open = place()
    const before = await started({ storage: open })
    const agent = new HttpAgent({ url: `${before.url}/v1/ag-ui`, threadId: 'thread-1' })
    agent.addMessage({ id: 'user-1', role: 'user', content: 'Go.' })
    const tools = [{ name: 'choose', description: 'asks', parameters: { type: 'object' } }]
    await agent.runAgent({ tools, forwardedProps: { model: 'client-tool' } })
    await before.close()

    const after = await started({ storage: open })
    const again = new HttpAgent({ url: `${after.url}/v1/ag-ui`, threadId: 'thread-1', initialMessages: agent.messages })
    again.addMessage({ id: 'chosen', role: 'tool', toolCallId: 'call_c', content: 'red' })
    await again.runAgent({ tools })
    expect(again.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Go.'],
      ['assistant', 'Which?'],
      ['tool', 'red'],
      ['assistant', 'It is done.'],
    ])
  })

  test('a client tool that was called before a restart is answered after it, by the openai SDK', async () => {
    const open = place()
    const before = await started({ storage: open })
    const clientOf = ({ url }: Started): OpenAI => new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Go.' }]
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'choose' } }]
    const asked = { model: 'client-tool', tools }
    const first = await clientOf(before).chat.completions.create({ ...asked, messages })
    const [choice] = first.choices
    expect(choice?.finish_reason).toBe('tool_calls')
    await before.close()

    const after = await started({ storage: open })
    const answered: OpenAI.ChatCompletionMessageParam[] = [
      ...messages,
      ...(choice ? [choice.message] : []),
      { role: 'tool', tool_call_id: 'call_c', content: 'red' },
    ]
    const second = await clientOf(after).chat.completions.create({ ...asked, messages: answered })
    expect(second.choices[0]?.message.content).toBe('It is done.')
    const { items } = (await (await after.get('/v1/runs')).json()) as { items: readonly unknown[] }
    expect(items).toHaveLength(1)
  })

  test('a thread goes on after a restart, and tells its messages on every wire', async () => {
    const open = place()
    const before = await started({ storage: open })
    await (await before.post('/v1/runs', go('text', { thread_id: 'thread-1' }))).text()
    await before.close()
    const after = await started({ storage: open })
    await (await after.post('/v1/runs', go('text', { thread_id: 'thread-1' }))).text()
    for (const wire of ['ag-ui', 'openai-chat', 'sse']) {
      const told = (await (await after.get(`/v1/threads/thread-1/messages?as=${wire}`)).json()) as {
        messages: readonly { role: string }[]
      }
      expect(told.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    }
  })

  test('a run that a dead process has left in the middle is ended at once for who asks, and its thread goes on', async () => {
    const open = place()
    const storage = await open()
    const dead = { owner: 'dead', now: Date.now(), until: Date.now() + 600_000 }
    for (const [runId, threadId] of [
      ['run-1', 'thread-1'],
      ['run-2', 'thread-2'],
      ['run-3', 'thread-3'],
    ] as const) {
      const run = { runId, threadId, wire: 'sse', startedAt: Date.now(), history: [], model: 'text' }
      await storage.facts.create(run, dead, 8)
    }
    await storage.close()
    const after = await started({ storage: open, hub: { reapMs: 1000 } })
    expect(await (await after.get('/v1/runs/run-1/events')).text()).toContain('producer_lost')
    const next = await after.post('/v1/runs', go('text', { thread_id: 'thread-2' }))
    expect([next.status, (await next.text()).includes('natural_end')]).toEqual([200, true])
    // Nobody asks for that one.
    await expect.poll(async () => (await runOf(after, 'run-3')).status, { timeout: 10_000 }).toBe('ended')
  })

  test('an approval runs out though nobody asks, before a restart and after it', async () => {
    const open = place()
    const remove = (milliseconds: number): Tool => ({
      name: 'remove',
      approval: () => ({ expires_at: new Date(Date.now() + milliseconds).toISOString() }),
      run: () => 'removed',
    })
    const before = await started({ storage: open, tools: [remove(100)] })
    const begin = async ({ post }: Started, thread_id: string): Promise<string> => {
      const begun = await post('/v1/runs', go('approval', { thread_id }), { prefer: 'respond-async' })
      return ((await begun.json()) as { run_id: string }).run_id
    }
    const one = await begin(before, 'thread-1')
    await expect.poll(async () => (await runOf(before, one)).status, { timeout: 5000 }).toBe('ended')
    expect(await resultsIn(before, 'thread-1')).toEqual([expect.not.stringContaining('removed')])
    await before.close()

    const between = await started({ storage: open, tools: [remove(700)] })
    const other = await begin(between, 'thread-2')
    await expect.poll(async () => (await runOf(between, other)).status).toBe('awaiting')
    await between.close()
    const after = await started({ storage: open, tools: [remove(700)] })
    await expect.poll(async () => (await runOf(after, other)).status, { timeout: 5000 }).toBe('ended')
    expect(await resultsIn(after, 'thread-2')).toEqual([expect.not.stringContaining('removed')])
  })

  test('a request under the same key begins one run, before a restart and after it', async () => {
    const open = place()
    const before = await started({ storage: open })
    const ask = async ({ post }: Started): Promise<string | null> => {
      const response = await post('/v1/runs', go('text'), { 'idempotency-key': 'key-1' })
      expect(await response.text()).toContain('run_finish')
      return response.headers.get('x-run-id')
    }
    const ids = await Promise.all([ask(before), ask(before)])
    await before.close()
    const after = await started({ storage: open })
    expect(new Set([...ids, await ask(after)]).size).toBe(1)
  })
}

test('an EventSource with a ticket comes back by itself to a server that was started again', async () => {
  const open = inMemory.place()
  const tokens = [{ tenant: 'acme', sha256: sha256('acme-token-of-a-test') }]
  const file = join(folder(), 'tickets')
  const options = { storage: open, tokens, tickets: () => ticketFile(file, Date.now()) }
  const headers = { authorization: 'Bearer acme-token-of-a-test' }
  const before = await started(options)
  const begun = await before.post('/v1/runs', go('approval'), { ...headers, prefer: 'respond-async' })
  const id = begun.headers.get('x-run-id')
  const given = (await (await before.post(`/v1/runs/${id}/ticket`, {}, headers)).json()) as { access_token: string }
  const source = new EventSource(`${before.url}/v1/runs/${id}/events?access_token=${given.access_token}`)
  const seen: string[] = []
  source.addEventListener('message', ({ data }) => seen.push(data))
  await expect.poll(() => seen.at(-1), { timeout: 5000 }).toContain('suspended')
  await before.close()
  const after = await started({ ...options, port: before.port })
  const decision = { tool_call_id: 'call_r', action: 'resume' }
  await after.post(`/v1/runs/${id}/decision`, decision, headers)
  await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toContain('natural_end')
  // All was seen, so it is told not to come back.
  await expect.poll(() => source.readyState, { timeout: 10_000 }).toBe(EventSource.CLOSED)
  expect(seen.filter((data) => data.includes('run_finish'))).toHaveLength(2)
}, 30_000)

interface Run {
  readonly status: string
}

async function runOf({ get }: Started, id: string): Promise<Run> {
  return (await (await get(`/v1/runs/${id}`)).json()) as Run
}

async function resultsIn({ get }: Started, thread: string): Promise<readonly unknown[]> {
  const { messages } = (await (await get(`/v1/threads/${thread}/messages?as=ag-ui`)).json()) as {
    messages: readonly { role: string; content: unknown }[]
  }
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
}
