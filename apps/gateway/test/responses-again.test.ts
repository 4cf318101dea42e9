/** A response that is read again, by its own clients: which one it is, how it looks, and what comes after each of its events. */
import { OpenAI } from 'openai'
import { OpenAI as OlderOpenAI } from 'openai-6'
import { expect, test } from 'vitest'
import { type Started, started } from './world.ts'

type Response = OpenAI.Responses.Response
type StreamEvent = OpenAI.Responses.ResponseStreamEvent

const CHOOSE = { type: 'function', name: 'choose', parameters: { type: 'object' }, strict: false } as const
const ASKED = { tools: [CHOOSE], metadata: { ticket: 'T-1' }, instructions: 'Be brief.' }

const clientOf = ({ url }: Pick<Started, 'url'>, version: '7' | '6' = '7'): OpenAI => {
  const Client = version === '7' ? OpenAI : (OlderOpenAI as unknown as typeof OpenAI)
  return new Client({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })
}

async function all(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

/** What `responses.stream()` makes of these events. */
async function finalOf(events: readonly StreamEvent[], version: '7' | '6'): Promise<Response> {
  const Client = version === '7' ? OpenAI : (OlderOpenAI as unknown as typeof OpenAI)
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const fetch = async (): Promise<globalThis.Response> =>
    new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const client = new Client({ apiKey: 'none', baseURL: 'http://agent.test/v1', maxRetries: 0, fetch })
  return client.responses.stream({ model: 'any', input: 'Go.' }).finalResponse()
}

/** What a client has that puts fragments together and never looks at the whole. */
function fragmentsOf(events: readonly StreamEvent[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const event of events) {
    if (!('delta' in event) || !('item_id' in event) || typeof event.delta !== 'string') continue
    texts[event.item_id] = (texts[event.item_id] ?? '') + event.delta
  }
  return texts
}

const identityOf = ({ id, output, metadata, instructions, tools, status, usage }: Response): object => ({
  id,
  output,
  metadata,
  instructions,
  tools,
  status,
  usage,
})

test.each(['text', 'reasoning', 'parallel-tools', 'mixed', 'client-tool', 'approval', 'filtered'])(
  'after each event of %s its clients go on as if nothing had happened',
  async (model) => {
    const gateway = await started()
    const client = clientOf(gateway)
    const live = await all(await client.responses.create({ ...ASKED, model, input: 'Go.', stream: true }))
    const [first] = live
    const id = first?.type === 'response.created' ? first.response.id : ''
    const whole = await finalOf(live, '7')
    for (const [index, { sequence_number }] of live.entries()) {
      const rest = await all(await client.responses.retrieve(id, { stream: true, starting_after: sequence_number }))
      const both = [...live.slice(0, index + 1), ...(index === live.length - 1 ? [] : rest)]
      expect(fragmentsOf(both)).toEqual(fragmentsOf(live))
      expect(await finalOf(both, '7')).toEqual(whole)
      expect(await finalOf(both, '6')).toEqual(await finalOf(live, '6'))
    }
    const again = await all(await client.responses.retrieve(id, { stream: true }))
    expect(await finalOf(again, '7')).toEqual(whole)
    expect(identityOf(await client.responses.retrieve(id))).toMatchObject({ id, ...ASKED })
  },
)

test('while it goes on as well', async () => {
  const gateway = await started({ pace: 15 })
  const client = clientOf(gateway)
  const live: StreamEvent[] = []
  const later: Promise<readonly [number, readonly StreamEvent[]]>[] = []
  let id = ''
  for await (const event of await client.responses.create({
    ...ASKED,
    model: 'parallel-tools',
    input: 'Go.',
    stream: true,
  })) {
    live.push(event)
    if (event.type === 'response.created') id = event.response.id
    const index = live.length - 1
    const { sequence_number: after } = event
    if (index % 3 !== 0) continue
    later.push(
      client.responses
        .retrieve(id, { stream: true, starting_after: after })
        .then(async (stream) => [index, await all(stream)] as const),
    )
  }
  const { output } = await finalOf(live, '7')
  expect(later.length).toBeGreaterThan(3)
  for (const [index, rest] of await Promise.all(later)) {
    const both = [...live.slice(0, index + 1), ...rest]
    expect(fragmentsOf(both)).toEqual(fragmentsOf(live))
    expect((await finalOf(both, '7')).output).toEqual(output)
  }
})

test.each([
  ['approval', ['message', 'mcp_call']],
  // Nobody may run it any more.
  ['client-tool', ['message']],
])('a response of %s that waits and is cancelled is cancelled for whoever reads it again', async (model, left) => {
  const gateway = await started()
  const client = clientOf(gateway)
  const { id } = await client.responses.create({ ...ASKED, model, input: 'Go.' })
  const cancelled = await client.responses.cancel(id)
  expect(cancelled).toMatchObject({ id, status: 'cancelled', metadata: ASKED.metadata })
  expect(await client.responses.retrieve(id)).toMatchObject(JSON.parse(JSON.stringify(cancelled)))
  expect(await finalOf(await all(await client.responses.retrieve(id, { stream: true })), '7')).toMatchObject({ id })
  expect(await client.responses.cancel(id)).toEqual(cancelled)
  expect(cancelled.output.map(({ type }) => type)).toEqual(left)
  await expect(client.responses.retrieve(`${id}.1`)).rejects.toMatchObject({ status: 404 })
})

test.each([
  [{ previous_response_id: 'resp_x', conversation: 'thread-1' }, 'previous_response_id'],
  [{ background: true }, 'background'],
])('what a response cannot be asked for is refused by its name: %j', async (asked, field) => {
  const gateway = await started()
  const answer = await gateway.post('/v1/responses', { model: 'text', input: 'Go.', ...asked })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(new RegExp(`^${field}: `)) } })
  expect((await (await gateway.get('/v1/runs')).json()) as object).toMatchObject({ items: [] })
})

test('clients show what is said of an address where there is nothing', async () => {
  const client = clientOf(await started())
  await expect(client.embeddings.create({ model: 'text', input: 'Go.' })).rejects.toMatchObject({
    status: 404,
    code: 'unknown_route',
    message: '404 there is nothing at that address',
  })
})

test('who cancels a response that is over ends nothing of what came after it', async () => {
  const gateway = await started({ pace: 20 })
  const client = clientOf(gateway)
  const first = await client.responses.create({ ...ASKED, model: 'client-tool', input: 'Go.' })
  const output = { type: 'function_call_output', call_id: 'call_c', output: 'red' } as const
  const second = await client.responses.create({
    ...ASKED,
    model: 'client-tool',
    input: [output],
    previous_response_id: first.id,
    stream: true,
  })
  const events: StreamEvent[] = []
  const told: object[] = []
  for await (const event of second) {
    events.push(event)
    if (event.type === 'response.created') told.push(identityOf(await client.responses.cancel(first.id)))
  }
  expect(told).toEqual([identityOf(first)])
  expect(events.at(-1)?.type).toBe('response.completed')
  await expect(client.responses.cancel(`${first.id}.7`)).rejects.toMatchObject({ status: 404 })
})

test('each segment of a run is the response of its own id, as it was asked for', async () => {
  const gateway = await started()
  const client = clientOf(gateway)
  const asked = { ...ASKED, model: 'client-tool' }
  const first = await all(await client.responses.create({ ...asked, input: 'Go.', stream: true }))
  const before = await finalOf(first, '7')
  const call = before.output.find((item) => item.type === 'function_call')
  const output = { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'red' } as const
  const second = await all(
    await client.responses.create({
      ...asked,
      metadata: { ticket: 'T-2' },
      input: [output],
      previous_response_id: before.id,
      stream: true,
    }),
  )
  const after = await finalOf(second, '7')
  expect(after.id).not.toBe(before.id)
  for (const [response, events] of [
    [before, first],
    [after, second],
  ] as const) {
    expect(JSON.parse(JSON.stringify(identityOf(await client.responses.retrieve(response.id))))).toMatchObject(
      JSON.parse(
        JSON.stringify(identityOf({ ...response, output: [] }), ['id', 'metadata', 'ticket', 'instructions', 'status']),
      ),
    )
    for (const [index, { sequence_number }] of events.entries()) {
      const rest = await all(
        await client.responses.retrieve(response.id, { stream: true, starting_after: sequence_number }),
      )
      const both = [...events.slice(0, index + 1), ...(index === events.length - 1 ? [] : rest)]
      expect(fragmentsOf(both)).toEqual(fragmentsOf(events))
      expect(await finalOf(both, '7')).toEqual(response)
    }
  }
  await expect(client.responses.retrieve(`${after.id}7`)).rejects.toMatchObject({ status: 404, code: 'unknown_run' })
})
