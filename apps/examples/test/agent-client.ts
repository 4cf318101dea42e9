/** What `HttpAgent` of the official AG-UI client ends with. */
import { HttpAgent, type Message } from '@ag-ui/client'
import { vi } from 'vitest'

export interface AgentReading {
  readonly messages: readonly Message[]
  /** Assistant texts and results of tools, in order. */
  readonly said: readonly string[]
  /** Calls that it was left to answer. */
  readonly pending: readonly string[]
  readonly failure?: { readonly code?: string | undefined; readonly message: string }
  readonly warnings: readonly unknown[]
}

export async function askAgent(url: string, question: string): Promise<AgentReading> {
  const asked: Message = { id: 'question', role: 'user', content: question }
  const agent = new HttpAgent({ url, threadId: 'thread-1', initialMessages: [asked] })
  const warnings: unknown[] = []
  const pending: string[] = []
  let failure: AgentReading['failure']
  const warn = vi.spyOn(console, 'warn').mockImplementation((...words) => void warnings.push(words))
  const error = vi.spyOn(console, 'error').mockImplementation((...words) => void warnings.push(words))
  try {
    await agent.runAgent(
      {},
      {
        onRunFinishedEvent: ({ outcome, ...end }) => {
          if (outcome === 'success' && 'pendingToolCallIds' in end) pending.push(...end.pendingToolCallIds)
        },
        onRunErrorEvent({ event }) {
          failure = { code: event.code, message: event.message }
        },
      },
    )
  } finally {
    warn.mockRestore()
    error.mockRestore()
  }
  const said = agent.messages.flatMap(({ role, content }) =>
    role !== 'user' && typeof content === 'string' && content !== '' ? [content] : [],
  )
  return { messages: agent.messages, said, pending, warnings, ...(failure ? { failure } : {}) }
}
