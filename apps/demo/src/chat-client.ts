/** Chat chunks as their users read them: the official `openai` package, pointed at another base address. */
import { APIError, OpenAI } from 'openai'
import { awaits, callText, failed, type Reading } from './outcome.ts'

export async function readChat(baseURL: string): Promise<Reading> {
  const warnings: string[] = []
  const warn = (...words: unknown[]): void => void warnings.push(words.map(String).join(' '))
  const logger = { error: warn, warn, info() {}, debug() {} }
  const client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0, logger })
  const stream = client.chat.completions.stream({
    model: 'agent',
    messages: [{ role: 'user', content: 'The weather?' }],
  })
  let text = ''
  stream.on('content', (delta) => void (text += delta))
  try {
    const { choices } = await stream.finalChatCompletion()
    const calls = new Map<string, string>()
    for (const call of choices[0]?.message.tool_calls ?? []) {
      if (call.type === 'function') calls.set(call.id, callText(call.function.name, call.function.arguments))
    }
    const finish = choices[0]?.finish_reason
    return {
      text: choices[0]?.message.content ?? '',
      // Those that the agent runs itself are not for its client.
      ...(calls.size > 0 ? { calls } : {}),
      ending: finish === 'tool_calls' ? awaits([...calls.keys()]) : finish === 'stop' ? 'finished' : String(finish),
      told: `finish ${finish}`,
      warnings,
    }
  } catch (error) {
    // It keeps the text that it gave away, and gives no completion.
    const code = (error instanceof APIError ? error.code : undefined) ?? error
    return {
      text,
      ending: failed(code),
      told: `throws ${error instanceof Error ? error.constructor.name : typeof error}`,
      warnings,
    }
  }
}
