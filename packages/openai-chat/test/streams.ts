/** Streams written by hand, and what a client of the neutral events makes of them. */
import { readFileSync } from 'node:fs'
import {
  type AgentEvent,
  type Commit,
  decode,
  type Delta,
  type Fact,
  type Failure,
  fold,
  isCommit,
  type Json,
  type Standing,
  type TokenUsage,
} from '@factwire/core'
import { readSse } from '@factwire/sse'
import { expect } from 'vitest'
import { framing, openaiChat, type OpenAiChatDecoderOptions } from '../src/index.ts'

// ── Writing ──

export type Fields = { readonly [key: string]: unknown }

export function data(value: unknown): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
}

export const done = 'data: [DONE]\n\n'

export function chunk(choices: readonly Fields[], more: Fields = {}): string {
  return data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1700000000, model: 'm', choices, ...more })
}

export function delta(fields: Fields, more: Fields = {}): string {
  return chunk([{ index: 0, delta: fields, finish_reason: null }], more)
}

export const text = (content: string): string => delta({ content })

export function call(fields: Fields): string {
  return delta({ tool_calls: [fields] })
}

/** A fragment of a call as OpenAI sends it. */
export function part(index: unknown, args: unknown, name?: string, id?: string): Fields {
  return {
    index,
    ...(id === undefined ? {} : { id, type: 'function' }),
    function: { ...(name === undefined ? {} : { name }), arguments: args },
  }
}

export function finish(reason: string | null, more: Fields = {}): string {
  return chunk([{ index: 0, delta: {}, finish_reason: reason }], more)
}

/** A recorded stream. Files of chunks without framing are framed again. */
export function bodyOf(path: string): string {
  const content = readFileSync(path, 'utf8')
  if (!path.endsWith('.jsonl')) return content
  const lines = content.split('\n').filter((line) => line.trim() !== '')
  return lines.map(data).join('') + done
}

// ── Reading ──

export interface Source {
  /** Lengths of the pieces, in bytes, used in turn. Default: one piece. */
  readonly cuts?: readonly number[]
  /** The connection breaks after the body. */
  readonly broken?: boolean
}

export async function* bytesOf(body: string | Uint8Array, { cuts, broken }: Source = {}): AsyncGenerator<Uint8Array> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const sizes = cuts && cuts.length > 0 ? cuts : [bytes.length || 1]
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const next = at + (sizes[turn % sizes.length] ?? 1)
    yield bytes.subarray(at, next)
    at = next
  }
  if (broken) throw new Error('socket hang up')
}

export async function eventsOf(
  body: string | Uint8Array,
  options: OpenAiChatDecoderOptions = {},
  source: Source = {},
): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  const stream = decode(openaiChat, readSse(bytesOf(body, source)), { decoder: options, reasoning: 'text' })
  for await (const event of stream) events.push(event)
  return events
}

export interface Called {
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly raw?: string
  readonly executable: boolean
}

export interface Outcome {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly Called[]
  readonly finish: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'error'
  readonly usage: TokenUsage | undefined
  readonly error: Failure | undefined
  readonly facts: readonly Fact[]
  readonly deltas: readonly Delta[]
}

/** Reads a stream and checks what must hold of every stream. */
export async function outcomeOf(
  body: string | Uint8Array,
  options: OpenAiChatDecoderOptions = {},
  source: Source = {},
): Promise<Outcome> {
  const outcome = summary(await eventsOf(body, options, source))
  checkLaws(outcome)
  return outcome
}

export function summary(events: readonly AgentEvent[]): Outcome {
  const facts = events.filter((event) => event.tier === 'fact').map(({ event }) => event)
  const deltas = events.filter((event) => event.tier === 'delta').map(({ event }) => event)
  let words = ''
  let reasoning = ''
  const calls: Called[] = []
  let usage: TokenUsage | undefined
  let end: Outcome['finish'] | undefined
  let error: Failure | undefined
  for (const fact of facts) {
    if (fact.type === 'assistant_message') {
      for (const block of fact.content) if (block.type === 'text') words += block.text
    } else if (fact.type === 'assistant_thinking') reasoning += fact.text ?? ''
    else if (fact.type === 'tool_call') {
      const { id, name, input, raw_input: raw } = fact
      const executable = fact.disposition !== 'executed'
      calls.push({ id, name, input, ...(raw === undefined ? {} : { raw }), executable })
    } else if (fact.type === 'inference_completed') usage = fact.usage
    else if (fact.type === 'awaiting') end = 'tool_calls'
    else if (fact.type === 'run_failed') {
      end = 'error'
      error = { code: fact.code, message: fact.message }
    } else if (fact.type === 'run_finished') {
      end = fact.exhausted ? 'length' : fact.cause?.type === 'blocked' ? 'content_filter' : 'stop'
    }
  }
  if (!end) throw new Error('the stream has no end')
  return { text: words, reasoning, calls, finish: end, usage, error, facts, deltas }
}

function checkLaws({ facts, deltas, text: words, reasoning, calls }: Outcome): void {
  expect(facts[0]).toEqual({ type: 'run_started' })
  const ends = facts.filter(({ type }) => type === 'awaiting' || type === 'run_finished' || type === 'run_failed')
  expect(ends).toEqual([facts.at(-1)])
  // Every call without a result is pending, and only that.
  const answered = new Set(facts.filter((fact) => fact.type === 'tool_result').map(({ id }) => id))
  for (const { id, executable } of calls) expect([id, answered.has(id)]).toEqual([id, !executable])
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
  // What was shown is a prefix of what is committed, fragment by fragment, under one message id.
  const shown = new Map<string, string>()
  const order: string[] = []
  const messageIds = new Set<string | undefined>()
  for (const item of deltas) {
    if (item.type !== 'text_delta' && item.type !== 'reasoning_delta' && item.type !== 'tool_call_delta') {
      throw new Error(`unexpected ${item.type}`)
    }
    const key = item.type === 'tool_call_delta' ? `call ${item.id}` : item.type
    const before = shown.get(key) ?? ''
    if (item.type === 'tool_call_delta' && !shown.has(key)) order.push(item.id)
    const fragment = item.type === 'tool_call_delta' ? item.args_delta : item.delta
    expect(item.offset).toBe(before.length)
    expect(fragment).not.toMatch(/[\ud800-\udbff]$/)
    shown.set(key, before + fragment)
    messageIds.add(item.message_id)
  }
  for (const fact of facts) {
    if (fact.type === 'assistant_message') messageIds.add(fact.id)
    if (fact.type === 'assistant_thinking' || fact.type === 'tool_call') messageIds.add(fact.message_id)
  }
  expect(messageIds.size).toBeLessThanOrEqual(1)
  expect(words.startsWith(shown.get('text_delta') ?? '')).toBe(true)
  expect(reasoning.startsWith(shown.get('reasoning_delta') ?? '')).toBe(true)
  expect(calls.map(({ id }) => id).slice(0, order.length)).toEqual(order)
  for (const { id, input, raw } of calls) {
    expect((raw ?? JSON.stringify(input)).startsWith(shown.get(`call ${id}`) ?? '')).toBe(true)
  }
}

/** What the decoder gives for whole SSE data, frame by frame, without a transport. */
export function itemsOf(messages: readonly string[], options: OpenAiChatDecoderOptions = {}): (Delta | Commit)[] {
  const decoder = openaiChat.decoder(options)
  const items: (Delta | Commit)[] = []
  for (const message of messages) {
    const frame = framing.parse({ data: message.replace(/^data: /, '').trimEnd() })
    if (frame !== undefined) items.push(...decoder.push(frame))
  }
  items.push(...decoder.end())
  return items
}

export function committed(items: readonly (Delta | Commit)[]): Commit {
  let standing: Standing = { openCalls: [] }
  for (const commit of items.filter(isCommit)) standing = fold(commit, standing).after
  const last = items.filter(isCommit).at(-1)
  if (!last) throw new Error('nothing was committed')
  return last
}
