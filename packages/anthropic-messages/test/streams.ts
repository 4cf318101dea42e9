/** Streams written by hand, and what a reader of the neutral events makes of them. */
import { decodeChunks } from '@factwire/conformance'
import type { AgentEvent, Delta, Fact } from '@factwire/core'
import { decode } from '@factwire/core'
import { readSse } from '@factwire/sse'
import { anthropicMessages, type AnthropicMessagesDecoderOptions } from '../src/index.ts'

export type Fields = { readonly [key: string]: unknown }

export function event(type: string, fields: Fields = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

const HEAD = { type: 'message', role: 'assistant', content: [], stop_reason: null, stop_sequence: null }

export const begin = (more: Fields = {}): string =>
  event('message_start', {
    message: { id: 'msg_1', model: 'm', ...HEAD, usage: { input_tokens: 3, output_tokens: 1 }, ...more },
  })

export const start = (index: number, content_block: Fields): string =>
  event('content_block_start', { index, content_block })
export const delta = (index: number, fields: Fields): string => event('content_block_delta', { index, delta: fields })
export const stop = (index: number): string => event('content_block_stop', { index })

export const text = (index: number, ...pieces: readonly string[]): string =>
  start(index, { type: 'text', text: '' }) +
  pieces.map((piece) => delta(index, { type: 'text_delta', text: piece })).join('') +
  stop(index)

export const call = (index: number, id: string, name: string, ...pieces: readonly string[]): string =>
  start(index, { type: 'tool_use', id, name, input: {} }) + args(index, ...pieces) + stop(index)

export const args = (index: number, ...pieces: readonly string[]): string =>
  pieces.map((partial_json) => delta(index, { type: 'input_json_delta', partial_json })).join('')

export const end = (stop_reason: string | null, usage: Fields = { output_tokens: 5 }): string =>
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }) + event('message_stop')

// ── Read ──

const bytes = (body: string): Uint8Array => new TextEncoder().encode(body)

export function factsOf(body: string): readonly Fact[] {
  return decodeChunks(anthropicMessages, [bytes(body)]).flatMap(({ tier, event: told }) =>
    tier === 'fact' ? [told] : [],
  )
}

export function deltasOf(body: string): readonly Delta[] {
  return decodeChunks(anthropicMessages, [bytes(body)]).flatMap(({ tier, event: told }) =>
    tier === 'delta' ? [told] : [],
  )
}

/** With options, from a source that may break. */
export async function eventsOf(
  body: string,
  options: AnthropicMessagesDecoderOptions = {},
  broken = false,
): Promise<readonly AgentEvent[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield bytes(body)
    if (broken) throw new Error('socket hang up')
  }
  const events: AgentEvent[] = []
  for await (const told of decode(anthropicMessages, readSse(source()), { decoder: options, reasoning: 'text' })) {
    events.push(told)
  }
  return events
}

/** A fact of one kind, the first or the only one. */
export function factOf<Type extends Fact['type']>(
  facts: readonly Fact[],
  type: Type,
): Extract<Fact, { readonly type: Type }> | undefined {
  return facts.find((fact): fact is Extract<Fact, { readonly type: Type }> => fact.type === type)
}
