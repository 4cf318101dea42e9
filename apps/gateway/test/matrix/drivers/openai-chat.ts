/** Chat completions, as users of the openai SDK drive them: `.stream()`, and `runTools` where the client has tools. */
import type { OpenAI } from 'openai'
import { type Client, GO, GO_ON, type Part, textIn } from '../client.ts'
import type { View } from '../scene.ts'

type Params = OpenAI.Chat.ChatCompletionMessageParam

const USER = { role: 'user', content: GO } as const

export function chatClient(name: string, from: string, Sdk: typeof OpenAI): Client {
  return {
    name,
    from,
    unseen: {
      calls: 'a call of the server is not shown: a client would run it again',
      results: 'results go from a client to the server',
    },
    cannot: {},
    ends: {
      cancelled: { end: 'done', why: 'the wire has no word for it' },
    },
    afterCut: 'asks again',
    play: (part) => (part.tools.length > 0 || part.isAsked ? withTools(Sdk, part) : streamed(Sdk, part)),
    // The events of a run are there on every wire.
    join: (part) => streamed(Sdk, part, () => fetch(`${part.url}/v1/runs/${part.runId}/events?as=openai-chat`)),
  }
}

const clientOf = (Sdk: typeof OpenAI, { url, threadId }: Part, instead?: () => Promise<Response>): OpenAI =>
  new Sdk({
    apiKey: 'none',
    baseURL: `${url}/v1`,
    defaultHeaders: { 'x-thread-id': threadId },
    ...(instead ? { fetch: instead } : {}),
  })

async function streamed(Sdk: typeof OpenAI, part: Part, instead?: () => Promise<Response>): Promise<View> {
  const client = clientOf(Sdk, part, instead)
  const first = await answered(Sdk, client, part, [USER])
  if (!part.wasCut()) return first
  await part.ended()
  return answered(Sdk, client, part, [
    USER,
    { role: 'assistant', content: first.text },
    { role: 'user', content: GO_ON },
  ])
}

async function answered(Sdk: typeof OpenAI, client: OpenAI, part: Part, messages: Params[]): Promise<View> {
  const stream = client.chat.completions.stream({ model: part.model, messages })
  const view = { text: '', thoughts: '' }
  stream.on('chunk', ({ choices }) => {
    view.text += choices[0]?.delta.content ?? ''
    view.thoughts += thoughtIn(choices[0]?.delta)
  })
  const finished = await stream.finalChatCompletion().catch(endOf(Sdk, part))
  if (typeof finished === 'string') return shown(view, finished)
  const [choice] = finished.choices
  return shown({ ...view, text: choice?.message.content ?? '' }, choice?.finish_reason)
}

async function withTools(Sdk: typeof OpenAI, part: Part): Promise<View> {
  const tool = (name: string, run: () => unknown): object => ({
    type: 'function',
    function: { name, description: name, parameters: { type: 'object' }, parse: JSON.parse, function: run },
  })
  const runner = clientOf(Sdk, part).chat.completions.runTools({
    model: part.model,
    stream: true,
    messages: [USER],
    tools: [
      ...part.tools.map((name) => tool(name, () => part.run(name))),
      ...(part.isAsked ? [tool('approve', () => ({ approved: part.decide() }))] : []),
    ] as never,
  })
  await runner.done()
  const said = runner.messages.flatMap(({ role, content }) => (role === 'assistant' ? [textIn(content)] : []))
  const { choices } = await runner.finalChatCompletion()
  return shown({ text: said.join('\n\n'), thoughts: '' }, choices[0]?.finish_reason)
}

/** The wire has no name for it, servers do. */
const thoughtIn = (delta: object | undefined): string =>
  delta && 'reasoning_content' in delta ? textIn(delta.reasoning_content) : ''

const endOf =
  ({ APIError }: typeof OpenAI, part: Part) =>
  (reason: unknown): string => {
    if (reason instanceof APIError && reason.code) return `failed ${reason.code}`
    if (part.wasCut()) return 'cut'
    throw reason
  }

const ENDS: Readonly<Record<string, string>> = { stop: 'done', length: 'exhausted' }

const shown = (said: Pick<View, 'text' | 'thoughts'>, reason = 'none'): View => ({
  ...said,
  calls: [],
  results: [],
  end: ENDS[reason] ?? reason,
})
