/** The official client as a view: what its user ends with after a response, and whether it complained. */
import { Anthropic } from '@anthropic-ai/sdk'
import { Anthropic as OlderAnthropic } from 'anthropic-sdk-0.137'

export type ClientVersion = '1.14' | '0.137'
/** The two ways in which a client offers the wire: they read blocks in code of their own. */
export type ClientPart = 'messages' | 'beta.messages'

export interface ClientKind {
  readonly version: ClientVersion
  readonly part: ClientPart
}

export const CLIENTS: readonly ClientKind[] = [
  { version: '1.14', part: 'messages' },
  { version: '1.14', part: 'beta.messages' },
  { version: '0.137', part: 'messages' },
  { version: '0.137', part: 'beta.messages' },
]

export const told = ({ version, part }: ClientKind): string => `@anthropic-ai/sdk ${version}, ${part}`

/** A block, as the client has it. */
export interface ClientBlock {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly data?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly server_name?: string
  readonly tool_use_id?: string
  readonly is_error?: boolean
  readonly content?: unknown
}

export interface ClientError {
  readonly message: string
  readonly status?: number
  readonly type?: unknown
  readonly code?: unknown
  /** The stream, or the body, said so itself. */
  readonly reported?: true
}

/** Of the first response; of later ones it only counts that they were asked for. */
export interface ClientResult {
  readonly content: readonly ClientBlock[]
  readonly stopReason: string | null | undefined
  readonly usage: unknown
  readonly id: string | undefined
  readonly model: string | undefined
  /** The last block was begun and not closed. */
  readonly open: boolean
  /** What its listeners were given, joined. */
  readonly heard: Heard
  /** Why it gave up. What came before is in the other fields. */
  readonly error?: ClientError
  /** What it wrote to the console. */
  readonly warnings: readonly string[]
  /** The bodies of its requests. */
  readonly sent: readonly unknown[]
}

export interface Heard {
  text: string
  thinking: string
  json: string
  blocks: number
}

export interface ClientOptions extends Partial<ClientKind> {
  /** HTTP status of the first response. Default 200. */
  readonly status?: number
  /** More of the request. */
  readonly body?: object
  /** Where the requests go. Default: to the body. */
  readonly fetch?: typeof fetch
}

type Draft = { -readonly [Key in 'content' | 'stopReason' | 'usage' | 'id' | 'model' | 'open']: ClientResult[Key] }

/** `messages.stream().finalMessage()`, with listeners to everything. */
export function readFinal(body: string, options: ClientOptions = {}): Promise<ClientResult> {
  return resultOf(body, options, async (client, draft, heard) => {
    const { part = 'messages' } = options
    const messages = part === 'messages' ? client.messages : (client.beta.messages as unknown as typeof client.messages)
    const stream = messages.stream(parameters(options))
    let snapshot: Anthropic.Message | undefined
    stream.on('text', (delta) => void (heard.text += delta))
    stream.on('thinking', (delta) => void (heard.thinking += delta))
    stream.on('contentBlock', () => void heard.blocks++)
    stream.on('streamEvent', (event, current) => {
      snapshot = current
      if (event.type === 'content_block_start') draft.open = true
      if (event.type === 'content_block_stop') draft.open = false
    })
    try {
      take(draft, await stream.finalMessage())
    } catch (error) {
      if (snapshot) take(draft, snapshot)
      throw error
    }
  })
}

/** `create({ stream: true })`: its events, one by one. */
export function readEvents(body: string, options: ClientOptions = {}): Promise<readonly { readonly type: string }[]> {
  const events: { readonly type: string }[] = []
  return resultOf(body, options, async (client) => {
    const stream = await client.messages.create({ ...parameters(options), stream: true })
    for await (const event of stream) events.push(event)
  }).then(({ error }) => {
    if (error) throw new Error(error.message)
    return events
  })
}

/** `create()` without a stream. */
export function readWhole(body: unknown, options: ClientOptions = {}): Promise<ClientResult> {
  return resultOf(JSON.stringify(body), options, async (client, draft) => {
    take(draft, await client.messages.create({ ...parameters(options), stream: false }))
  })
}

function take(draft: Draft, { content, stop_reason, usage, id, model }: Anthropic.Message): void {
  draft.content = content.map(blockOf)
  draft.stopReason = stop_reason
  draft.usage = usage
  draft.id = id
  draft.model = model
}

/** Arguments are parsed when somebody looks, and of those that are no JSON nobody gets any. */
function blockOf(block: Anthropic.ContentBlock): ClientBlock {
  const entries = Object.keys(block).flatMap((key): [string, unknown][] => {
    try {
      return [[key, block[key as keyof typeof block]]]
    } catch {
      return []
    }
  })
  return Object.fromEntries(entries) as unknown as ClientBlock
}

function parameters({ body = {} }: ClientOptions): Anthropic.MessageCreateParamsNonStreaming {
  return { model: 'factwire', max_tokens: 1000, messages: [{ role: 'user', content: 'go' }], ...body }
}

async function resultOf(
  body: string,
  { version = '1.14', status = 200, fetch: given }: ClientOptions,
  read: (client: Anthropic, draft: Draft, heard: Heard) => Promise<void>,
): Promise<ClientResult> {
  const draft: Draft = {
    content: [],
    stopReason: undefined,
    usage: undefined,
    id: undefined,
    model: undefined,
    open: false,
  }
  const heard: Heard = { text: '', thinking: '', json: '', blocks: 0 }
  const sent: unknown[] = []
  const warnings: string[] = []
  // The parts of the client that are used here are alike in both versions; their types are not the same types.
  const Client = version === '1.14' ? Anthropic : (OlderAnthropic as unknown as typeof Anthropic)
  const client = new Client({
    apiKey: 'none',
    baseURL: 'http://agent.test',
    maxRetries: 0,
    fetch:
      given ??
      (async (_url, init) => {
        sent.push(JSON.parse(typeof init?.body === 'string' ? init.body : 'null'))
        const type = body.startsWith('{') ? 'application/json' : 'text/event-stream'
        return new Response(body, { status, headers: { 'content-type': type } })
      }),
  })
  const { warn, error } = console
  console.warn = (...words: unknown[]): void => void warnings.push(words.map(String).join(' '))
  console.error = console.warn
  let failure: ClientError | undefined
  try {
    await read(client, draft, heard)
  } catch (reason) {
    failure = errorOf(reason, Client)
  } finally {
    console.warn = warn
    console.error = error
  }
  return { ...draft, heard, ...(failure ? { error: failure } : {}), warnings, sent }
}

function errorOf(reason: unknown, { APIError }: typeof Anthropic): ClientError {
  if (!(reason instanceof Error)) return { message: String(reason) }
  if (!(reason instanceof APIError)) return { message: reason.message }
  const said = (reason.error as { readonly error?: { readonly [key: string]: unknown } } | undefined)?.error
  return {
    message: reason.message,
    ...(reason.status === undefined ? {} : { status: reason.status }),
    ...(said === undefined ? {} : { type: said['type'], code: said['code'] ?? said['type'], reported: true }),
  }
}
