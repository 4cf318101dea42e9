/** Chat completions, as users of the openai SDK drive them: `.stream()` or `.create()`, and `runTools` where the client has tools. */
import type { OpenAI } from 'openai'
import {
  CANCELLED_FAILS,
  type Client,
  GO_ON,
  KEEPS_ITS_HISTORY,
  type Part,
  textIn,
  WHOLE_CANCELLED_FAILS,
  WHOLE_CANNOT,
  WHOLE_FAILURES,
} from '../client.ts'
import type { View } from '../scene.ts'

type Params = OpenAI.Chat.ChatCompletionMessageParam

export function chatClient(name: string, from: string, Sdk: typeof OpenAI, whole = false): Client {
  return {
    name,
    from,
    unseen: {
      calls: 'calls of the server are not told, because a client would run them again',
    },
    cannot: { ...KEEPS_ITS_HISTORY, ...(whole ? WHOLE_CANNOT : {}) },
    differs: { cancelled: whole ? WHOLE_CANCELLED_FAILS : CANCELLED_FAILS, ...(whole ? WHOLE_FAILURES : {}) },
    whole,
    afterCut: 'asks again',
    play: (part) =>
      part.tools.length > 0 || part.isAsked ? withTools(Sdk, part, whole) : talked(Sdk, part, whole ? told : streamed),
    // The events of a run are there on every wire.
    join: (part) =>
      talked(Sdk, part, streamed, () =>
        fetch(`${part.url}/v1/runs/${part.runId}/events?as=openai-chat&include_usage=true`),
      ),
  }
}

const clientOf = (Sdk: typeof OpenAI, { url, threadId, isOneRun }: Part, instead?: () => Promise<Response>): OpenAI =>
  new Sdk({
    apiKey: 'none',
    baseURL: `${url}/v1`,
    // Its own history does not hold what the server called: who goes on has to name the thread.
    ...(isOneRun ? {} : { defaultHeaders: { 'x-thread-id': threadId } }),
    ...(instead ? { fetch: instead } : {}),
  })

type Way = typeof streamed

async function talked(Sdk: typeof OpenAI, part: Part, way: Way, instead?: () => Promise<Response>): Promise<View> {
  const client = clientOf(Sdk, part, instead)
  const thread: Params[] = []
  let all: View | undefined
  for (const content of part.says) {
    thread.push({ role: 'user', content })
    const view = await way(Sdk, client, part, thread)
    thread.push({ role: 'assistant', content: view.text })
    all = all ? together(all, view) : view
  }
  if (!all || !part.wasCut()) return all ?? shown({ text: '', thoughts: '', tokens: 0 })
  await part.ended()
  return way(Sdk, client, part, [...thread, { role: 'user', content: GO_ON }])
}

const together = (before: View, { text, thoughts, tokens = 0, end }: View): View => ({
  ...before,
  text: `${before.text}\n\n${text}`,
  thoughts: before.thoughts + thoughts,
  tokens: (before.tokens ?? 0) + tokens,
  end,
})

async function streamed(Sdk: typeof OpenAI, client: OpenAI, part: Part, messages: readonly Params[]): Promise<View> {
  const { model } = part
  const stream = client.chat.completions.stream({
    model,
    messages: [...messages],
    stream_options: { include_usage: true },
  })
  const said = { text: '', thoughts: '', tokens: 0 }
  stream.on('chunk', ({ choices }) => {
    said.text += choices[0]?.delta.content ?? ''
    said.thoughts += thoughtIn(choices[0]?.delta)
  })
  const finished = await stream.finalChatCompletion().catch(endOf(Sdk, part))
  if (typeof finished === 'string') return shown(said, finished)
  return finishedWith(finished, said.thoughts)
}

async function told(Sdk: typeof OpenAI, client: OpenAI, part: Part, messages: readonly Params[]): Promise<View> {
  const { model } = part
  const answer = await client.chat.completions.create({ model, messages: [...messages] }).catch(endOf(Sdk, part))
  if (typeof answer === 'string') return shown({ text: '', thoughts: '', tokens: 0 }, answer)
  return finishedWith(answer, thoughtIn(answer.choices[0]?.message))
}

function finishedWith({ choices, usage }: OpenAI.Chat.ChatCompletion, thoughts: string): View {
  const [choice] = choices
  const text = choice?.message.content ?? ''
  return shown({ text, thoughts, tokens: usage?.completion_tokens ?? 0 }, choice?.finish_reason)
}

async function withTools(Sdk: typeof OpenAI, part: Part, whole: boolean): Promise<View> {
  const tool = (name: string, run: () => unknown): object => ({
    type: 'function',
    function: { name, description: name, parameters: { type: 'object' }, parse: JSON.parse, function: run },
  })
  const { completions } = clientOf(Sdk, part).chat
  const asked = {
    model: part.model,
    messages: part.says.map((content): Params => ({ role: 'user', content })),
    tools: [
      ...part.tools.map((name) => tool(name, () => part.run(name))),
      ...(part.isAsked ? [tool('approve', () => ({ approved: part.decide() }))] : []),
    ] as never,
  }
  const runner = whole
    ? completions.runTools(asked)
    : completions.runTools({ ...asked, stream: true, stream_options: { include_usage: true } })
  await runner.done()
  const said = runner.messages.flatMap(({ role, content }) => (role === 'assistant' ? [textIn(content)] : []))
  const { choices } = await runner.finalChatCompletion()
  const { completion_tokens: tokens } = await runner.totalUsage()
  return shown({ text: said.join('\n\n'), thoughts: '', tokens }, choices[0]?.finish_reason)
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

const shown = (said: Pick<View, 'text' | 'thoughts' | 'tokens'>, reason = 'none'): View => ({
  ...said,
  calls: [],
  end: ENDS[reason] ?? reason,
})
