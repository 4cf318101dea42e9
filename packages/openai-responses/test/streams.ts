/** Streams of this wire in few words, and what the decoder makes of them. */
import { decodeChunks } from '@factwire/conformance'
import { type AgentEvent, type Fact, type Json, reader, type TokenUsage, textOf } from '@factwire/core'
import { type OpenAiResponsesDecoderOptions, openaiResponses } from '../src/index.ts'

export interface StreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

export const data = (value: StreamEvent): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`

export const body = (...events: readonly StreamEvent[]): string => events.map(data).join('')

const HEAD = { id: 'resp_1', object: 'response', created_at: 1, model: 'm-1' }

export const created = {
  type: 'response.created',
  response: { ...HEAD, status: 'in_progress', output: [], usage: null },
} as const

/** How a response ends. */
export const ended = (type: 'completed' | 'incomplete' | 'failed', more: object = {}): StreamEvent => ({
  type: `response.${type}`,
  response: { ...HEAD, status: type, output: [], usage: null, ...more },
})

export const added = (output_index: number, item: object): StreamEvent => ({
  type: 'response.output_item.added',
  output_index,
  item,
})
export const done = (output_index: number, item: object): StreamEvent => ({
  type: 'response.output_item.done',
  output_index,
  item,
})
export const text = (output_index: number, delta: string): StreamEvent => ({
  type: 'response.output_text.delta',
  output_index,
  item_id: `msg_${output_index}`,
  content_index: 0,
  delta,
})
export const said = (id: string, words: string): object => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: words, annotations: [] }],
})
export const called = (id: string, args: string, more: object = {}): object => ({
  id: `fc_${id}`,
  type: 'function_call',
  status: 'completed',
  call_id: id,
  name: 'look_up',
  arguments: args,
  ...more,
})

export const eventsOf = (stream: string, options?: OpenAiResponsesDecoderOptions): AgentEvent[] => {
  if (!options) return decodeChunks(openaiResponses, [new TextEncoder().encode(stream)])
  const { push, end } = reader(openaiResponses, { decoder: options, reasoning: 'text' })
  const messages = stream.split('\n\n').flatMap((message) => {
    const line = message.split('\n').find((each) => each.startsWith('data: '))
    return line === undefined ? [] : [{ data: line.slice('data: '.length) }]
  })
  return [...messages.flatMap(push), ...end()]
}

export interface Summary {
  readonly texts: readonly string[]
  readonly reasoning: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: Json; readonly by: string }[]
  readonly results: readonly { readonly id: string; readonly text: string; readonly is_error: boolean }[]
  readonly waits: readonly string[]
  readonly end: string
  readonly usage?: TokenUsage
}

export function summaryOf(events: readonly AgentEvent[]): Summary {
  const facts = events.flatMap(({ tier, event }): Fact[] => (tier === 'fact' ? [event] : []))
  const usage = facts.findLast((fact) => fact.type === 'inference_completed')?.usage
  return {
    texts: facts.flatMap((fact) => (fact.type === 'assistant_message' ? [textOf(fact.content)] : [])),
    reasoning: facts.map((fact) => (fact.type === 'assistant_thinking' ? (fact.text ?? '') : '')).join(''),
    calls: facts.flatMap((fact) =>
      fact.type === 'tool_call' ? [{ id: fact.id, name: fact.name, input: fact.input, by: fact.disposition }] : [],
    ),
    results: facts.flatMap((fact) =>
      fact.type === 'tool_result' ? [{ id: fact.id, text: textOf(fact.content), is_error: fact.is_error }] : [],
    ),
    waits: facts.flatMap((fact) =>
      fact.type === 'awaiting' ? (fact.pending ?? []).map(({ kind, tool_use_id }) => `${kind} ${tool_use_id}`) : [],
    ),
    end: endOf(facts.at(-1)),
    ...(usage ? { usage } : {}),
  }
}

function endOf(last: Fact | undefined): string {
  if (last?.type === 'run_failed') return `failed: ${last.code}`
  if (last?.type === 'run_finished') return last.cause?.type ?? 'finished'
  return last?.type ?? 'nothing'
}

/** What was streamed of the text and of each call, before it was committed. */
export function streamed(events: readonly AgentEvent[]): {
  readonly text: string
  readonly args: Record<string, string>
} {
  let whole = ''
  const args: Record<string, string> = {}
  for (const { event } of events) {
    if (event.type === 'text_delta') whole += event.delta
    if (event.type === 'tool_call_delta') args[event.id] = (args[event.id] ?? '') + event.args_delta
  }
  return { text: whole, args }
}

/** What is read of a whole stream. */
export const read = (...events: readonly StreamEvent[]): ReturnType<typeof summaryOf> =>
  summaryOf(eventsOf(body(...events)))
