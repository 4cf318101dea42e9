/** The official client as a view: what its user ends with after a response, and whether it complained. */
import { OpenAI } from 'openai'
import { OpenAI as OlderOpenAI } from 'openai-6'

export type ClientVersion = '7' | '6'
export type Response = OpenAI.Responses.Response
export type StreamEvent = OpenAI.Responses.ResponseStreamEvent
export type Item = OpenAI.Responses.ResponseOutputItem

export interface ClientError {
  readonly message: string
  readonly status?: number
  readonly type?: unknown
  readonly code?: unknown
  /** The stream said so itself. */
  readonly reported?: true
}

export interface ClientView {
  /** The response as it was last known; undefined where nothing came of it. */
  readonly response: Response | undefined
  /** It came to its end. */
  readonly ended: boolean
  /** What its listeners were told, until the end. */
  readonly events: readonly StreamEvent[]
  /** Why it gave up. */
  readonly error: ClientError | undefined
  /** What it wrote to the console. */
  readonly warnings: readonly string[]
  /** The bodies of its requests. */
  readonly sent: readonly unknown[]
}

export interface ClientOptions {
  readonly version?: ClientVersion
  /** HTTP status. Default 200. */
  readonly status?: number
}

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** `responses.stream()`, read event by event until the response has ended, as its users do. */
export function readStream(body: string, options: ClientOptions = {}): Promise<ClientView> {
  return viewOf(body, options, async (client, draft) => {
    const stream = client.responses.stream(PARAMETERS)
    // Whoever only iterates hears of a failure there.
    stream.finalResponse().catch(() => undefined)
    for await (const event of stream) {
      draft.events.push(event)
      if ('response' in event) draft.response = event.response
      draft.ended ||= ENDS.has(event.type)
      if (draft.ended) return
    }
    draft.response = await stream.finalResponse()
  })
}

/** `responses.stream().finalResponse()`. */
export function readFinal(body: string, options: ClientOptions = {}): Promise<ClientView> {
  return viewOf(body, options, async (client, draft) => {
    const stream = client.responses.stream(PARAMETERS)
    stream.on('event', (event) => void draft.events.push(event))
    draft.response = await stream.finalResponse()
    draft.ended = draft.response.status !== 'in_progress'
  })
}

/** `responses.create({ stream: true })`, event by event. */
export function readRaw(body: string, options: ClientOptions = {}): Promise<ClientView> {
  return viewOf(body, options, async (client, draft) => {
    for await (const event of await client.responses.create({ ...PARAMETERS, stream: true })) {
      draft.events.push(event)
      if ('response' in event) draft.response = event.response
      draft.ended ||= ENDS.has(event.type)
    }
  })
}

/** `responses.create()` without a stream. */
export function readWhole(body: unknown, options: ClientOptions = {}): Promise<ClientView> {
  return viewOf(JSON.stringify(body), options, async (client, draft) => {
    draft.response = await client.responses.create({ ...PARAMETERS, stream: false })
    draft.ended = true
  })
}

interface Draft {
  response: Response | undefined
  ended: boolean
  readonly events: StreamEvent[]
}

const PARAMETERS = { model: 'factwire', input: 'go' } as const

async function viewOf(
  body: string,
  { version = '7', status = 200 }: ClientOptions,
  read: (client: OpenAI, draft: Draft) => Promise<void>,
): Promise<ClientView> {
  const draft: Draft = { response: undefined, ended: false, events: [] }
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
      const json = body.startsWith('{')
      return new Response(body, {
        status,
        headers: { 'content-type': json ? 'application/json' : 'text/event-stream' },
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
  return { ...draft, error: failure, warnings, sent }
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
