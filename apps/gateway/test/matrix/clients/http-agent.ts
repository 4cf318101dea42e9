/** The HttpAgent of AG-UI. It comes back, and comes late, by asking for the same run. */
import { HttpAgent, type Message } from '@ag-ui/client'
import { callShown, type Client, type Part, textIn, threadAs } from '../client.ts'
import type { View } from '../scene.ts'

export const client: Client = {
  name: 'AG-UI HttpAgent',
  from: '@ag-ui/client',
  unseen: {},
  cannot: {},
  afterCut: 'reads on',
  async play(part) {
    let agent = agentOf(part)
    const ends: End[] = []
    for (const [turn, words] of part.says.entries()) {
      say(agent, words, turn)
      const runId = `run-${turn}-of-${part.threadId}`
      ends.push(await ran(agent, part, { runId }))
      if (part.reloads) agent = agentOf(part, await threadAs(part, 'ag-ui'))
      if (part.wasCut() || part.reloads) ends.push(await ran(agent, part, { runId }))
      for (let asked = answered(agent, part); asked; asked = answered(agent, part))
        ends.push(await ran(agent, part, asked))
    }
    return viewOf(agent, ends)
  },
  async join(part) {
    const agent = agentOf(part)
    for (const [turn, words] of part.says.entries()) say(agent, words, turn)
    return viewOf(agent, [await ran(agent, part, { runId: part.runId })])
  },
}

const agentOf = ({ url, threadId }: Part, initialMessages: readonly Message[] = []): HttpAgent =>
  new HttpAgent({ url: `${url}/v1/ag-ui`, threadId, initialMessages: [...initialMessages], fetch: unbroken })

const say = (agent: HttpAgent, content: string, turn: number): void =>
  agent.addMessage({ id: `user-${turn}-of-${agent.threadId}`, role: 'user', content })

type Asked = NonNullable<Parameters<HttpAgent['runAgent']>[0]>

/** Answers what waits for the page or its user; undefined where nothing does. */
function answered(agent: HttpAgent, part: Part): Asked | undefined {
  const resume = agent.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: 'resolved' as const,
    payload: { approved: part.decide() },
  }))
  if (resume.length > 0) return { resume }
  const over = new Set(agent.messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])))
  const open = callsOf(agent).filter(({ id }) => !over.has(id))
  for (const { id, name } of open)
    agent.addMessage({ id: `answer-${id}`, role: 'tool', toolCallId: id, content: part.run(name) })
  return open.length > 0 ? {} : undefined
}

interface End {
  readonly end: string
  readonly tokens: number
}

/** A body that breaks is one that just ends: of one that breaks this client leaves a rejection to nobody, and a node process dies of that. */
async function unbroken(...asked: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...asked)
  const reader = response.body?.getReader()
  if (!reader) return response
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await reader.read().catch(() => ({ value: undefined }))
      if (value) controller.enqueue(value)
      else controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, response)
}

async function ran(agent: HttpAgent, part: Part, asked: Asked): Promise<End> {
  const tools = part.tools.map((name) => ({ name, description: name, parameters: { type: 'object' } }))
  let end = 'nothing'
  let tokens = 0
  await agent.runAgent(
    { ...asked, tools, forwardedProps: { model: part.model } },
    {
      onRunFinishedEvent({ event }) {
        const { outcome, metadata, usage = [] } = event as Finished
        end = metadata?.factwire?.exhausted ? 'exhausted' : (ENDS[outcome?.type ?? 'success'] ?? String(outcome?.type))
        for (const { outputTokens = 0 } of usage) tokens += outputTokens
      },
      onRunErrorEvent({ event }) {
        end = `failed ${event.code}`
      },
    },
  )
  return { end, tokens }
}

interface Finished {
  readonly outcome?: { readonly type: string }
  readonly usage?: readonly { readonly outputTokens?: number }[]
  readonly metadata?: Told
}

interface Told {
  readonly factwire?: { readonly exhausted?: boolean; readonly is_error?: boolean }
}

const ENDS: Readonly<Record<string, string>> = { success: 'done', cancelled: 'cancelled', interrupt: 'waits' }

interface Call {
  readonly id: string
  readonly name: string
  readonly input: string
}

const callsOf = ({ messages }: HttpAgent): readonly Call[] =>
  messages.flatMap((message) =>
    message.role === 'assistant'
      ? (message.toolCalls ?? []).map(({ id, function: called }) => ({
          id,
          name: called.name,
          input: called.arguments,
        }))
      : [],
  )

function viewOf(agent: HttpAgent, ends: readonly End[]): View {
  const { messages } = agent
  const results = new Map<string, readonly string[]>()
  for (const message of messages) {
    if (message.role !== 'tool') continue
    const { metadata } = message as { readonly metadata?: Told }
    const result = metadata?.factwire?.is_error || message.error ? 'no' : textIn(message.content)
    results.set(message.toolCallId, [...(results.get(message.toolCallId) ?? []), result])
  }
  return {
    text: messages
      .flatMap(({ role, content }) => (role === 'assistant' && content ? [textIn(content)] : []))
      .join('\n\n'),
    thoughts: messages.flatMap(({ role, content }) => (role === 'reasoning' ? [textIn(content)] : [])).join(''),
    calls: callsOf(agent).map(({ id, name, input }) => callShown(name, input, results.get(id)?.join(' and '))),
    tokens: ends.reduce((sum, { tokens }) => sum + tokens, 0),
    end: ends.at(-1)?.end ?? 'nothing',
  }
}
