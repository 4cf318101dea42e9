/** The Messages API, as users of Anthropic's SDK drive it: `.stream()` or `.create()`, and on its beta side the tool runner. */
import type { Anthropic } from '@anthropic-ai/sdk'
import {
  callShown,
  CANCELLED_FAILS,
  type Client,
  GO_ON,
  KEEPS_ITS_HISTORY,
  type Part,
  WHOLE_CANCELLED_FAILS,
  WHOLE_CANNOT,
  WHOLE_FAILURES,
} from '../client.ts'
import type { View } from '../scene.ts'

type Message = Anthropic.Message
type Param = Anthropic.MessageParam

export type Side = 'messages' | 'beta.messages'

export function messagesClient(name: string, from: string, Sdk: typeof Anthropic, side: Side, whole = false): Client {
  return {
    name,
    from,
    unseen: {},
    cannot: { ...KEEPS_ITS_HISTORY, ...(whole ? WHOLE_CANNOT : {}) },
    differs: { cancelled: whole ? WHOLE_CANCELLED_FAILS : CANCELLED_FAILS, ...(whole ? WHOLE_FAILURES : {}) },
    whole,
    afterCut: 'asks again',
    async play(part) {
      const client = clientOf(Sdk, part)
      if (side === 'beta.messages' && (part.tools.length > 0 || part.isAsked)) return ranBy(client, part)
      const thread: Param[] = []
      const all: Answered['message'][] = []
      let begins = 0
      const says = [...part.says]
      for (let content: Param['content'] | undefined = says.shift(); content !== undefined;) {
        thread.push({ role: 'user', content })
        const { message, end } = await (whole ? told : streamed)(Sdk, messagesOf(client, side), part, thread)
        thread.push({ role: 'assistant', content: message.content })
        all.push(message)
        if (end === 'cut') {
          await part.ended()
          begins = thread.length
          content = GO_ON
          continue
        }
        if (end !== undefined) return viewOf(thread, all, end)
        const answers = message.content.flatMap((block) => answerTo(block, part))
        content = answers.length > 0 ? answers : says.shift()
      }
      return viewOf(thread.slice(begins), all)
    },
    // The events of a run are there on every wire.
    async join(part) {
      const client = clientOf(Sdk, part, () => fetch(`${part.url}/v1/runs/${part.runId}/events?as=anthropic-messages`))
      const thread = part.says.map((content): Param => ({ role: 'user', content }))
      const { message, end } = await streamed(Sdk, messagesOf(client, side), part, thread)
      return viewOf([message], [message], end)
    },
  }
}

const clientOf = (Sdk: typeof Anthropic, { url }: Part, instead?: () => Promise<Response>): Anthropic =>
  new Sdk({
    apiKey: 'none',
    baseURL: url,
    ...(instead ? { fetch: instead } : {}),
  })

/** Both sides have the same face, as far as it is used here. */
const messagesOf = (client: Anthropic, side: Side): Anthropic['messages'] =>
  side === 'messages' ? client.messages : (client.beta.messages as unknown as Anthropic['messages'])

const paramsOf = (part: Part): Omit<Anthropic.MessageCreateParamsNonStreaming, 'messages'> => ({
  model: part.model,
  max_tokens: 4096,
  ...(part.thinking ? { thinking: { type: 'enabled', budget_tokens: 1024 } } : {}),
})

const toolsOf = ({ tools, isAsked }: Part): readonly string[] => [...tools, ...(isAsked ? ['approve'] : [])]

interface Answered {
  readonly message: Pick<Message, 'content' | 'usage' | 'stop_reason'>
  /** Where it did not come to the end that the message says. */
  readonly end?: string
}

function askedOf(part: Part, thread: readonly Param[]): Anthropic.MessageCreateParamsNonStreaming {
  const tools = toolsOf(part).map((name) => ({ name, input_schema: { type: 'object' as const } }))
  return { ...paramsOf(part), messages: [...thread], ...(tools.length > 0 ? { tools } : {}) }
}

async function streamed(
  { APIError }: typeof Anthropic,
  messages: Anthropic['messages'],
  part: Part,
  thread: readonly Param[],
): Promise<Answered> {
  const stream = messages.stream(askedOf(part, thread))
  // What it has so far is all that its user has when it breaks off.
  let message: Message | undefined
  stream.on('streamEvent', (_event, snapshot) => {
    message = snapshot
  })
  try {
    return { message: await stream.finalMessage() }
  } catch (reason) {
    if (!message) throw reason
    if (part.wasCut()) return { message, end: 'cut' }
    if (!(reason instanceof APIError)) throw reason
    return { message, end: `failed ${codeOf(reason.error)}` }
  }
}

async function told(
  { APIError }: typeof Anthropic,
  messages: Anthropic['messages'],
  part: Part,
  thread: readonly Param[],
): Promise<Answered> {
  try {
    return { message: await messages.create(askedOf(part, thread)) }
  } catch (reason) {
    if (!(reason instanceof APIError)) throw reason
    return { message: NOTHING, end: `failed ${codeOf(reason.error)}` }
  }
}

const NOTHING: Answered['message'] = { content: [], usage: { output_tokens: 0 } as Anthropic.Usage, stop_reason: null }

function answerTo(block: Anthropic.ContentBlock, part: Part): Anthropic.ToolResultBlockParam[] {
  if (block.type !== 'tool_use') return []
  const content = block.name === 'approve' ? JSON.stringify({ approved: part.decide() }) : part.run(block.name)
  return [{ type: 'tool_result', tool_use_id: block.id, content }]
}

async function ranBy(client: Anthropic, part: Part): Promise<View> {
  const tool = (name: string): object => ({
    type: 'custom',
    name,
    description: name,
    input_schema: { type: 'object' },
    parse: (input: unknown) => input,
    run: () => (name === 'approve' ? JSON.stringify({ approved: part.decide() }) : part.run(name)),
  })
  const runner = client.beta.messages.toolRunner({
    ...paramsOf(part),
    messages: part.says.map((content) => ({ role: 'user', content })),
    stream: true,
    tools: toolsOf(part).map(tool) as never,
  })
  const said: Message[] = []
  for await (const stream of runner) said.push((await stream.finalMessage()) as unknown as Message)
  const answers = runner.params.messages.filter(({ role }) => role === 'user') as Param[]
  return viewOf([...said, ...answers], said)
}

function viewOf(
  thread: readonly Pick<Param, 'content'>[],
  all: readonly Answered['message'][],
  end = endOf(all.at(-1)),
): View {
  const blocks = thread.flatMap(({ content }) => (typeof content === 'string' ? [] : (content as readonly Block[])))
  return {
    text: blocks.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('\n\n'),
    thoughts: blocks.flatMap(({ type, thinking }) => (type === 'thinking' ? [thinking ?? ''] : [])).join(''),
    calls: callsIn(blocks),
    tokens: all.reduce((sum, { usage }) => sum + usage.output_tokens, 0),
    end,
  }
}

const endOf = (message: Answered['message'] | undefined): string =>
  ENDS[String(message?.stop_reason)] ?? String(message?.stop_reason)

/** What only the beta side has types for is there on both. */
interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly name?: string
  readonly input?: unknown
  readonly is_error?: boolean
  readonly content?: string | readonly { readonly text?: string }[]
}

/** A call that waited for an approval is told again where it goes on. Questions are no calls. */
function callsIn(blocks: readonly Block[]): readonly string[] {
  const results = new Map(blocks.flatMap((block) => (block.tool_use_id ? [[block.tool_use_id, resultIn(block)]] : [])))
  const calls = blocks.filter(({ type, name }) => type.endsWith('tool_use') && name !== 'approve')
  const shown = calls.map(({ id = '', name, input }): [string, string] => [
    id,
    callShown(name, JSON.stringify(input), results.get(id)),
  ])
  return [...new Map(shown).values()]
}

function resultIn({ content = '', is_error }: Block): string {
  if (is_error) return 'no'
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
}

const ENDS: Readonly<Record<string, string>> = { end_turn: 'done', max_tokens: 'exhausted' }

/** The body of the error, as it came. */
function codeOf(body: unknown): string {
  const { error } = body as { readonly error?: { readonly code?: string } }
  return String(error?.code)
}
