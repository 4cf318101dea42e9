/** What a provider of chat completions sends, as its script writes it. Written by hand, from the wire's own documentation. */

export type Chunk = { readonly [key: string]: unknown }

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_780_000_000, model: 'scripted-1' }

const chunk = (delta: Chunk, finish_reason: string | null = null): Chunk => ({
  ...HEAD,
  choices: [{ index: 0, delta, finish_reason }],
})

export const role = (): Chunk => chunk({ role: 'assistant', content: '' })
export const text = (content: string): Chunk => chunk({ content })
export const thought = (reasoning_content: string): Chunk => chunk({ reasoning_content })
export const finish = (reason: string): Chunk => chunk({}, reason)

export const call = (index: number, id: string, name: string, args = ''): Chunk =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })

export const more = (index: number, args: string): Chunk =>
  chunk({ tool_calls: [{ index, function: { arguments: args } }] })

export const usage = (prompt_tokens: number, completion_tokens: number): Chunk => ({
  ...HEAD,
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
})

export const error = (code: string, message: string): Chunk => ({ error: { message, type: code, param: null, code } })

export const frame = (data: Chunk): string => `data: ${JSON.stringify(data)}\n\n`
export const DONE = 'data: [DONE]\n\n'
