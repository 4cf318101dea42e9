/** The HttpAgent of AG-UI. It comes back, and comes late, by asking for the same run. */
import { HttpAgent } from '@ag-ui/client'
import { type Client, GO, type Part, textIn } from '../client.ts'
import type { View } from '../scene.ts'

export const client: Client = {
  name: 'AG-UI HttpAgent',
  from: '@ag-ui/client',
  unseen: {},
  cannot: {},
  afterCut: 'reads on',
  async play(part) {
    const agent = agentOf(part)
    const runId = `run-of-${part.threadId}`
    let end = await ran(agent, part, { runId })
    if (part.wasCut()) end = await ran(agent, part, { runId })
    for (let count = 0; count < 5; count++) {
      const resume = agent.pendingInterrupts.map(({ id }) => ({
        interruptId: id,
        status: 'resolved' as const,
        payload: { approved: part.decide() },
      }))
      const answers = unanswered(agent)
      for (const { id, name } of answers)
        agent.addMessage({ id: `answer-${id}`, role: 'tool', toolCallId: id, content: part.run(name) })
      if (resume.length + answers.length === 0) break
      end = await ran(agent, part, resume.length > 0 ? { resume } : {})
    }
    return viewOf(agent, end)
  },
  async join(part) {
    const agent = agentOf(part)
    return viewOf(agent, await ran(agent, part, { runId: part.runId }))
  },
}

function agentOf({ url, threadId }: Part): HttpAgent {
  const agent = new HttpAgent({ url: `${url}/v1/ag-ui`, threadId, fetch: unbroken })
  agent.addMessage({ id: `user-of-${threadId}`, role: 'user', content: GO })
  return agent
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

async function ran(
  agent: HttpAgent,
  part: Part,
  asked: NonNullable<Parameters<HttpAgent['runAgent']>[0]>,
): Promise<string> {
  const tools = part.tools.map((name) => ({ name, description: name, parameters: { type: 'object' } }))
  let end = 'nothing'
  await agent.runAgent(
    { ...asked, tools, forwardedProps: { model: part.model } },
    {
      onRunFinishedEvent: ({ event }) => {
        const { outcome, metadata } = event as { outcome?: { type: string }; metadata?: Told }
        end = metadata?.factwire?.exhausted ? 'exhausted' : (ENDS[outcome?.type ?? 'success'] ?? String(outcome?.type))
      },
      onRunErrorEvent: ({ event }) => {
        end = `failed ${event.code}`
      },
    },
  )
  return end
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

/** What waits for the page, and is no question. */
function unanswered(agent: HttpAgent): readonly Call[] {
  const over = new Set(agent.messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])))
  return agent.pendingInterrupts.length > 0 ? [] : callsOf(agent).filter(({ id }) => !over.has(id))
}

function viewOf(agent: HttpAgent, end: string): View {
  const { messages } = agent
  return {
    text: messages
      .flatMap(({ role, content }) => (role === 'assistant' && content ? [textIn(content)] : []))
      .join('\n\n'),
    thoughts: messages.flatMap(({ role, content }) => (role === 'reasoning' ? [textIn(content)] : [])).join(''),
    calls: callsOf(agent).map(({ name, input }) => `${name} ${input}`),
    results: messages.flatMap((message) => {
      if (message.role !== 'tool') return []
      const { metadata } = message as { readonly metadata?: Told }
      return [metadata?.factwire?.is_error || message.error ? 'no' : textIn(message.content)]
    }),
    end,
  }
}
