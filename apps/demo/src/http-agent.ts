/** AG-UI as its users read it: `HttpAgent` of the official client. */
import { HttpAgent } from '@ag-ui/client'
import { awaits, callText, failed, type Reading } from './outcome.ts'
import { RUN } from './run.ts'

export async function readAgent(url: string): Promise<Reading> {
  let ending = 'no end'
  let told = 'nothing'
  const agent = new HttpAgent({ url, threadId: RUN.threadId })
  const warnings = await overheard(async () => {
    await agent.runAgent(
      { runId: RUN.runId },
      {
        onRunFinishedEvent(end) {
          const pending = end.outcome === 'success' ? end.pendingToolCallIds : []
          ending = pending.length > 0 ? awaits(pending) : 'finished'
          told = pending.length > 0 ? 'pendingToolCallIds' : 'RUN_FINISHED'
        },
        onRunErrorEvent({ event: { code } }) {
          ending = failed(code)
          told = 'RUN_ERROR'
        },
      },
    )
  })

  const calls = new Map<string, string>()
  const results = new Map<string, string>()
  let reasoning = ''
  let text = ''
  for (const message of agent.messages) {
    if (message.role === 'tool') results.set(message.toolCallId, stringOf(message.content))
  }
  for (const message of agent.messages) {
    if (message.role === 'reasoning') reasoning += message.content
    if (message.role !== 'assistant') continue
    text += message.content ?? ''
    for (const { id, function: called } of message.toolCalls ?? []) {
      calls.set(id, callText(called.name, called.arguments, results.get(id)))
    }
  }
  return { reasoning, text, calls, ending, told, warnings }
}

const stringOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

/** What is written to the console meanwhile: this client has no other way to say that data was lost or changed. */
async function overheard(work: () => Promise<void>): Promise<readonly string[]> {
  const lines: string[] = []
  const { warn, error } = console
  console.warn = (...words: unknown[]): void => void lines.push(words.map(String).join(' '))
  console.error = console.warn
  try {
    await work()
  } catch (reason) {
    lines.push(String(reason))
  } finally {
    console.warn = warn
    console.error = error
  }
  return lines
}
