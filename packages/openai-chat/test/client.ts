/** The official client as a view: what its user ends with after a response, and whether it complained. */
import { OpenAI } from 'openai'
import { OpenAI as OlderOpenAI } from 'openai-6'

export type ClientVersion = '7' | '6'

export interface ClientCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface ClientError {
  readonly message: string
  readonly status?: number
  readonly type?: unknown
  readonly code?: unknown
  /** The stream said so itself. */
  readonly reported?: true
}

/** Of the first response; of later ones it only counts that they were asked for. */
export interface ClientView {
  readonly text: string
  readonly toolCalls: readonly ClientCall[]
  /** The last one that is not null. */
  readonly finish: string | undefined
  readonly usage: unknown
  /** Why it gave up. What came before is in the other fields where this way of reading lets one see it. */
  readonly error?: ClientError
  /** What it wrote to the console. */
  readonly warnings: readonly string[]
  readonly requests: number
  /** The bodies of its requests. */
  readonly sent: readonly unknown[]
}

export interface ClientOptions {
  readonly version?: ClientVersion
  /** HTTP status of the first response. Default 200. */
  readonly status?: number
  /** Names of the tools it offers. */
  readonly tools?: readonly string[]
  /** Whether they promise to match their schema. Then the client is stricter with the stream. Default false. */
  readonly strict?: boolean
}

/** `create({ stream: true })`, its chunks joined as their users join them. */
export function readChunks(body: string, options: ClientOptions = {}): Promise<ClientView> {
  return viewOf(body, options, async (client, draft) => {
    const stream = await client.chat.completions.create({ ...parameters(options), stream: true })
    for await (const { choices, usage } of stream) {
      draft.usage = usage ?? draft.usage
      for (const { delta, finish_reason } of choices) {
        draft.text += delta.content ?? ''
        draft.finish = finish_reason ?? draft.finish
        for (const { index, id, function: called } of delta.tool_calls ?? []) {
          const call = (draft.toolCalls[index] ??= { id: '', name: '', arguments: '' })
          call.id = id ?? call.id
          call.name = called?.name ?? call.name
          call.arguments += called?.arguments ?? ''
        }
      }
    }
  })
}

/** `.stream().finalChatCompletion()`. */
export function readFinal(body: string, options: ClientOptions = {}): Promise<ClientView> {
  return viewOf(body, options, async (client, draft) => {
    const stream = client.chat.completions.stream({ ...parameters(options), stream: true })
    stream.on('content', (delta) => void (draft.text += delta))
    take(draft, await stream.finalChatCompletion())
  })
}

/** `runTools`, which runs every call it is given and asks again: a response after the first says "done". */
export function runTools(body: string, options: ClientOptions = {}): Promise<ClientView> {
  return viewOf(body, options, async (client, draft) => {
    const { tools = [], ...rest } = parameters(options)
    const runner = client.chat.completions.runTools(
      {
        ...rest,
        stream: true,
        tools: tools.map((tool) => ({ ...tool, function: { ...tool.function, parse: String, function: () => 'ran' } })),
      },
      { maxChatCompletions: 3 },
    )
    let first = true
    runner.on('chatCompletion', (completion) => {
      if (first) take(draft, completion)
      first = false
    })
    await runner.finalChatCompletion()
  })
}

/** `create()` without a stream. */
export function readWhole(body: unknown, options: ClientOptions = {}): Promise<ClientView> {
  return viewOf(JSON.stringify(body), options, async (client, draft) => {
    take(draft, await client.chat.completions.create({ ...parameters(options), stream: false }))
  })
}

interface Draft {
  text: string
  toolCalls: { id: string; name: string; arguments: string }[]
  finish: string | undefined
  usage: unknown
}

type Completion = OpenAI.Chat.ChatCompletion

function take(draft: Draft, { choices, usage }: Completion): void {
  const [choice] = choices
  draft.text = choice?.message.content ?? ''
  draft.finish = choice?.finish_reason
  draft.usage = usage ?? undefined
  draft.toolCalls = (choice?.message.tool_calls ?? []).map((call) => {
    if (call.type !== 'function') throw new Error(`a call of type ${call.type}`)
    return { id: call.id, name: call.function.name, arguments: call.function.arguments }
  })
}

interface OfferedTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: Record<string, unknown>
    readonly strict: boolean
  }
}

function parameters({ tools = [], strict = false }: ClientOptions): {
  readonly model: string
  readonly messages: OpenAI.Chat.ChatCompletionMessageParam[]
  readonly tools?: OfferedTool[]
} {
  const offered = tools.map((name): OfferedTool => ({
    type: 'function',
    function: { name, description: `does ${name}`, parameters: { type: 'object', properties: {} }, strict },
  }))
  return {
    model: 'factwire',
    messages: [{ role: 'user', content: 'go' }],
    ...(offered.length === 0 ? {} : { tools: offered }),
  }
}

const DONE_AFTER_TOOLS = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'done' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
  .map(
    (chunk) =>
      `data: ${JSON.stringify({ id: 'after', object: 'chat.completion.chunk', created: 0, model: 'm', ...chunk })}\n\n`,
  )
  .join('')
  .concat('data: [DONE]\n\n')

async function viewOf(
  body: string,
  { version = '7', status = 200 }: ClientOptions,
  read: (client: OpenAI, draft: Draft) => Promise<void>,
): Promise<ClientView> {
  const draft: Draft = { text: '', toolCalls: [], finish: undefined, usage: undefined }
  const sent: unknown[] = []
  const warnings: string[] = []
  // The parts of the client that are used here are alike in both versions; their types are not the same types.
  const Client = version === '7' ? OpenAI : (OlderOpenAI as unknown as typeof OpenAI)
  const client = new Client({
    apiKey: 'none',
    baseURL: 'http://agent.test/v1',
    maxRetries: 0,
    fetch: async (_url, init) => {
      sent.push(JSON.parse(typeof init?.body === 'string' ? init.body : 'null'))
      const first = sent.length === 1
      const json = body.startsWith('{')
      return new Response(first ? body : DONE_AFTER_TOOLS, {
        status: first ? status : 200,
        headers: { 'content-type': first && json ? 'application/json' : 'text/event-stream' },
      })
    },
  })
  const { warn, error } = console
  console.warn = (...words: unknown[]): void => void warnings.push(words.map(String).join(' '))
  console.error = console.warn
  let failure: ClientError | undefined
  try {
    await read(client, draft)
  } catch (reason) {
    failure = errorOf(reason, Client)
  } finally {
    console.warn = warn
    console.error = error
  }
  return { ...draft, ...(failure ? { error: failure } : {}), warnings, requests: sent.length, sent }
}

function errorOf(reason: unknown, { APIError }: typeof OpenAI): ClientError {
  const error: Error & { status?: number; type?: unknown; code?: unknown } =
    reason instanceof Error ? reason : new Error(String(reason))
  const { message, status, type, code } = error
  return {
    message,
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(error.constructor === APIError ? { reported: true } : {}),
  }
}
