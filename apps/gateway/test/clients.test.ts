/** What clients of chat and AG-UI meet beside the scenes of the matrix. */
import { OpenAI } from 'openai'
import { OpenAI as OpenAI6 } from 'openai-6'
import { expect, test } from 'vitest'
import { started, type Started } from './world.ts'

const USER = { role: 'user', content: 'Go.' } as const

const clientOf = ({ url }: Started, Client: typeof OpenAI = OpenAI): OpenAI =>
  new Client({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })

/** Both majors have the same face, as far as it is used here. */
const majors = [
  ['7', OpenAI],
  ['6', OpenAI6 as unknown as typeof OpenAI],
] as const

// ── openai ──

test('a run that fails is an error of the openai SDK, and is not asked for again', async () => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${(await started()).url}/v1`, maxRetries: 2 })
  await expect(client.chat.completions.create({ model: 'unauthorized', messages: [USER] })).rejects.toMatchObject({
    status: 500,
    code: 'unauthorized',
  })
  await expect(client.chat.completions.create({ model: 'nobody', messages: [USER] })).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
  })
})

test('a chat client that leaves ends its run', async () => {
  const gateway = await started({ pace: 30 })
  const stream = await clientOf(gateway).chat.completions.create({
    model: 'parallel-tools',
    messages: [USER],
    stream: true,
  })
  for await (const _chunk of stream) break
  await expect.poll(async () => (await runsOf(gateway))[0]).toMatchObject({ cause: { type: 'cancelled' } })
})

test('a chat client that leaves before its whole answer is there ends its run', async () => {
  const gateway = await started({ pace: 30 })
  const { signal, abort } = leaving()
  const asked = clientOf(gateway).chat.completions.create({ model: 'silent-text', messages: [USER] }, { signal })
  await expect.poll(async () => (await runsOf(gateway)).length).toBe(1)
  abort()
  await expect(asked).rejects.toThrow('aborted')
  await expect.poll(async () => (await runsOf(gateway))[0]).toMatchObject({ cause: { type: 'cancelled' } })
})

test.each(majors)('openai %s lets somebody approve, by a tool that asks', async (_major, Client) => {
  const gateway = await started()
  const questions: string[] = []
  const runner = clientOf(gateway, Client).chat.completions.runTools({
    model: 'approval',
    stream: true,
    messages: [USER],
    tools: [
      {
        type: 'function',
        function: {
          name: 'approve',
          description: 'asks the user whether a call may be made',
          parameters: { type: 'object', properties: {} },
          parse: JSON.parse,
          function: (question: { readonly message?: string }) => {
            questions.push(question.message ?? '')
            return { approved: true }
          },
        },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('It is done.')
  expect(questions).toEqual(['Remove /tmp/x?'])
  expect(await runsOf(gateway)).toHaveLength(1)
})

test('without such a tool a run that needs approval is an error that says so', async () => {
  const client = clientOf(await started())
  await expect(client.chat.completions.create({ model: 'approval', messages: [USER] })).rejects.toMatchObject({
    code: 'approval_unsupported',
  })
})

// ── AG-UI ──

test('a client that asks for protobuf by name gets it, and one that takes anything does not', async () => {
  const { post } = await started()
  const input = (runId: string): object => ({
    threadId: runId,
    runId,
    messages: [{ id: 'user-1', role: 'user', content: 'Go.' }],
    tools: [],
    context: [],
    forwardedProps: { model: 'text' },
  })
  const proto = 'application/vnd.ag-ui.event+proto'
  const binary = await post('/v1/ag-ui', input('run-1'), { accept: proto })
  expect(binary.headers.get('content-type')).toBe(proto)
  const { protoFraming } = await import('@factwire/ag-ui/proto')
  const reader = protoFraming.reader()
  const events = reader.push(new Uint8Array(await binary.arrayBuffer()))
  reader.end()
  expect(events.at(0)?.type).toBe('RUN_STARTED')
  expect(events.at(-1)?.type).toBe('RUN_FINISHED')
  const plain = await post('/v1/ag-ui', input('run-2'), { accept: '*/*' })
  expect(plain.headers.get('content-type')).toBe('text/event-stream')
  await plain.text()
})

function leaving(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

interface Listed {
  readonly run_id: string
  readonly thread_id: string
  readonly status: string
  readonly cause?: { readonly type: string }
}

async function runsOf({ get }: Started): Promise<readonly Listed[]> {
  return ((await (await get('/v1/runs')).json()) as { readonly items: readonly Listed[] }).items
}
