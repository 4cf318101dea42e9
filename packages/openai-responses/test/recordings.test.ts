import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { checkGrammar } from '@factwire/core'
import { expect, test } from 'vitest'
import { withShared } from '../../../testing/shared.ts'
import { grammar, openaiResponses } from '../src/index.ts'
import { type Item, readFinal, readRaw, type Response } from './client.ts'
import { eventsOf, streamed, summaryOf } from './streams.ts'

/** One event a line; the framing around them was not kept. */
const bodyOf = (file: string): string =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`)
    .join('')

withShared('recordings/openai-responses', (folder) => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.chunks.txt'))
  const rotating = files.filter((file) => file.includes('rotation'))
  const steady = files.filter((file) => !rotating.includes(file))

  test.each(steady)('decodes the recording %s to what the official client accumulates', async (file) => {
    const body = bodyOf(join(folder, file))
    const seven = await readFinal(body)
    expect({ error: seven.error, warnings: seven.warnings }).toEqual({ error: undefined, warnings: [] })
    expect(told(body)).toEqual(accumulated(seven.response))
  })

  test.each(steady)('the recording %s breaks no rule that the client rejects', (file) => {
    const check = checkGrammar(grammar)
    const frames = bodyOf(join(folder, file))
      .split('\n\n')
      .flatMap((message) => openaiResponses.framing.parse({ data: message.replace(/^event: .*\ndata: /, '') }) ?? [])
    const breaches = [...frames.flatMap((frame) => check.push(frame)), ...check.end()]
    expect(breaches.filter(({ force }) => force === 'rejected')).toEqual([])
  })

  // The client itself gives such a stream up, because the id of the response changes: only its raw events can be compared.
  test.each(rotating)('decodes the recording %s, whose ids change with every event', async (file) => {
    const body = bodyOf(join(folder, file))
    expect((await readFinal(body)).error?.message).toMatch(/identity changed/)
    const raw = await readRaw(body)
    expect(raw.error).toBeUndefined()
    expect(told(body)).toEqual(accumulated(raw.response))
    expect(streamed(eventsOf(body)).text).toBe(told(body).texts.join(''))
  })
})

interface Told {
  readonly texts: readonly string[]
  readonly reasoning: string
  readonly calls: readonly object[]
  readonly results: readonly string[]
  readonly tokens: readonly unknown[]
}

function told(body: string): Told {
  const { texts, reasoning, calls, results, usage } = summaryOf(eventsOf(body))
  return {
    texts,
    reasoning,
    calls: calls.map(({ id, name, input }) => ({ id, name, input })),
    results: results.map((result) => result.text),
    tokens: usage ? [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens, usage.thinking_tokens ?? 0] : [],
  }
}

function accumulated(response: Response | undefined): Told {
  const { output = [], usage } = response ?? {}
  return {
    texts: output.flatMap((item) => (item.type === 'message' ? [textOf(item)] : [])),
    reasoning: output
      .flatMap((item) => (item.type === 'reasoning' ? [item.summary.map(({ text }) => text).join('\n\n')] : []))
      .join(''),
    calls: output.flatMap(callOf),
    results: output.flatMap((item) =>
      item.type === 'shell_call_output' ? [item.output.map(({ stdout, stderr }) => stdout + stderr).join('')] : [],
    ),
    tokens: usage
      ? [usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.output_tokens_details.reasoning_tokens]
      : [],
  }
}

const textOf = (item: Extract<Item, { type: 'message' }>): string =>
  item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('')

function callOf(item: Item): object[] {
  switch (item.type) {
    case 'function_call':
      return [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
    case 'custom_tool_call':
      return [{ id: item.call_id, name: item.name, input: item.input }]
    case 'mcp_approval_request':
      return [{ id: item.id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
    case 'shell_call':
      return [{ id: item.call_id, name: 'shell', input: item.action }]
    default:
      return []
  }
}
