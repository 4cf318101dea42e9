/** What the demo's model says, chunk by chunk, as chat completion chunks are spelled. */

type Delta = { readonly [field: string]: unknown }

const HEAD = { id: 'chatcmpl-demo', object: 'chat.completion.chunk', created: 1764500000, model: 'demo-large' }

const REASONING = ['Two cities', ', so two', ' calls; they', ' can run at once.']
const TEXT = ['Let me', ' look at', ' São', ' Paulo', ' and', ' Zürich', ' — one', ' moment', '.']
const CALLS = [
  { id: 'call_1', name: 'get_weather', pieces: ['{"city"', ':"São', ' Paulo"', ',"unit":"', '°C"}'] },
  { id: 'call_2', name: 'get_weather', pieces: ['{"city"', ':"Zür', 'ich"', ',"unit":"', '°C"}'] },
]
const USAGE = { prompt_tokens: 61, completion_tokens: 74, total_tokens: 135 }

function chunk(delta: Delta, finishReason: string | null = null): object {
  return { ...HEAD, choices: [{ index: 0, delta, finish_reason: finishReason }] }
}

function callChunks({ id, name, pieces }: (typeof CALLS)[number], index: number): object[] {
  return [
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

const CHUNKS = [
  chunk({ role: 'assistant', content: '' }),
  ...REASONING.map((piece) => chunk({ reasoning_content: piece })),
  ...TEXT.map((piece) => chunk({ content: piece })),
  ...CALLS.flatMap(callChunks),
  chunk({}, 'tool_calls'),
  { ...HEAD, choices: [], usage: USAGE },
]

/** The whole answer as it goes over the network, with CRLF: legal, rare, and a place to cut. */
export function answerBytes(): Uint8Array {
  const messages = [...CHUNKS.map((value) => JSON.stringify(value)), '[DONE]']
  return Buffer.from(messages.map((data) => `data: ${data}\r\n\r\n`).join(''))
}
