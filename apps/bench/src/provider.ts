/** What a model provider sends: chat completion chunks with all the fields that OpenAI's have. */
import { type Stream, streamFrom } from './stream.ts'

export function providerText(fragments: readonly string[]): Stream {
  const chunks = [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...fragments.map((content) => chunk({ content })),
  ]
  return streamOfChunks([...chunks, chunk({}, 'stop')], fragments.join(''))
}

/** The arguments of one call. */
export function providerArguments(fragments: readonly string[]): Stream {
  const call = { index: 0, id: 'call-1', type: 'function', function: { name: 'edit_file', arguments: '' } }
  const chunks = [
    chunk({ role: 'assistant', content: null, tool_calls: [call] }),
    ...fragments.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ]
  return streamOfChunks([...chunks, chunk({}, 'tool_calls')], '')
}

function streamOfChunks(chunks: readonly string[], text: string): Stream {
  const data = [...chunks, JSON.stringify({ ...HEAD, choices: [], usage: USAGE }), '[DONE]']
  return streamFrom(data.map((each) => `data: ${each}\n\n`).join(''), text)
}

const HEAD = {
  id: 'chatcmpl-CkE1yR6mTqfJ0w4L8s2ZbXuVn3HaD',
  object: 'chat.completion.chunk',
  created: 1_764_500_000,
  model: 'gpt-5-2025-08-07',
  service_tier: 'default',
  system_fingerprint: 'fp_44709d6fcb',
}

const USAGE = {
  prompt_tokens: 1200,
  completion_tokens: 20_000,
  total_tokens: 21_200,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
}

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  return JSON.stringify({ ...HEAD, choices, usage: null, obfuscation: 'Xq3mZ8' })
}
