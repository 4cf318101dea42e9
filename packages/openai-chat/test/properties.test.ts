import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withShared } from '../../../testing/shared.ts'
import { bodyOf, call, data, delta, done, eventsOf, finish, outcomeOf, part, summary, text } from './streams.ts'

const NASTY = [
  `\ufeff: hé\r\n\r\n${delta({ content: 'héllo 😀\u2028日本' }).replaceAll('\n', '\r\n')}`,
  delta({ reasoning_content: 'Grüße\u0085' }).replaceAll('\n', '\r'),
  `event: chunk\r\nid: 7\r\nretry: 5\r\n${call(part(0, '{"naïve":"😀', 'wéather', 'a'))}`,
  `{"choices":[{"delta":{"content":"ß"}}]}\r\n`,
  call(part(0, '"}')),
  finish('tool_calls').replaceAll('\n', '\r\n'),
  done,
].join('')

const anyCuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })

function cutAnywhere(body: string, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(anyCuts, async (cuts) => {
    expect(await eventsOf(body, {}, { cuts })).toEqual(await eventsOf(body))
  })
  return fc.assert(property, { seed: 1, numRuns })
}

test('gives the same events however the bytes are cut', async () => {
  expect(await eventsOf(NASTY, {}, { cuts: [1] })).toEqual(await eventsOf(NASTY))
  await cutAnywhere(NASTY, 100)
})

withShared('recordings/openai-chat', (folder) => {
  const files = readdirSync(folder).filter((file) => /\.(txt|jsonl)$/.test(file))
  const size = (file: string): number => statSync(join(folder, file)).size

  const short = files.filter((file) => size(file) < 8000)
  test.each(short)('gives the same events however %s is cut', async (file) => {
    const body = bodyOf(join(folder, file))
    expect(await eventsOf(body, {}, { cuts: [1] })).toEqual(await eventsOf(body))
    await cutAnywhere(body, 2)
  })

  const shortest = files.filter((file) => size(file) < 1800)
  test.each(shortest)('%s, cut short at any byte, is no success before its finish', async (file) => {
    const bytes = new TextEncoder().encode(bodyOf(join(folder, file)))
    const whole = await outcomeOf(bytes)
    const wrong: number[] = []
    for (let length = 0; length < bytes.length; length++) {
      const prefix = bytes.subarray(0, length)
      const { finish: end, calls, text: words, reasoning } = summary(await eventsOf(prefix))
      const mayEnd = /"finish_reason": ?"|\[DONE\]/.test(new TextDecoder().decode(prefix))
      const failed = end === 'error' && !calls.some(({ executable }) => executable)
      const fits = whole.text.startsWith(words) && whole.reasoning.startsWith(reasoning)
      if (!fits || !(failed || (mayEnd && end !== 'error'))) wrong.push(length)
    }
    expect(wrong).toEqual([])
  })
})

// ── A message, written as the servers of this world write it ──

interface Message {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly string[]
}

/** JSON that repeats itself, so that a suffix often looks like something that came before. */
const anyArguments = fc.dictionary(
  fc.constantFrom('a', 'b', '{"a":'),
  fc.letrec((self) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('{', '{"a":', '}', '  ', '"}', '\\', '\\"', 1, 11, true, null, '{}'),
      fc.dictionary(fc.constantFrom('a', 'b'), self('value'), { maxKeys: 2 }),
      fc.array(self('value'), { maxLength: 2 }),
    ),
  })).value,
  { maxKeys: 3 },
)

const anyMessage: fc.Arbitrary<Message> = fc.record({
  text: fc.string({ unit: 'grapheme', maxLength: 12 }),
  reasoning: fc.string({ unit: 'grapheme', maxLength: 12 }),
  calls: fc.array(
    anyArguments.map((value) => JSON.stringify(value)),
    { maxLength: 3 },
  ),
})

const STYLES = [
  'openai',
  'gaps',
  'repeated',
  'one index',
  'no index',
  'no ids',
  'cumulative',
  'stammering',
  'restated',
  'objects',
] as const
type Style = (typeof STYLES)[number]

function pieces(whole: string, sizes: readonly number[]): string[] {
  const list: string[] = []
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    list.push(whole.slice(at, at + size))
    at += size
  }
  return list
}

function callEvents(args: string, number: number, style: Style, sizes: readonly number[]): string[] {
  const id = `call-${number}`
  const parts = pieces(args, sizes)
  switch (style) {
    case 'openai':
      return [call(part(number, '', 'f', id)), ...parts.map((fragment) => call(part(number, fragment)))]
    case 'gaps':
      return parts.map((fragment, turn) =>
        call(part(7 - 3 * number, fragment, turn === 0 ? 'f' : '', turn === 0 ? id : '')),
      )
    case 'repeated':
      return parts.map((fragment) => call(part(number, fragment, 'f', id)))
    case 'one index':
      return parts.map((fragment, turn) =>
        call(turn === 0 ? part(0, fragment, 'f', id) : { index: 0, id, function: { arguments: fragment } }),
      )
    case 'no index':
      return parts.map((fragment, turn) => call(turn === 0 ? part(undefined, fragment, 'f', id) : part(null, fragment)))
    case 'no ids':
      return parts.map((fragment, turn) => call(part(number, fragment, turn === 0 ? 'f' : undefined)))
    case 'cumulative':
      return parts.map((_, turn) => call(part(number, parts.slice(0, turn + 1).join(''), 'f', id)))
    case 'stammering':
      return callEvents(args, number, 'cumulative', sizes).flatMap((event) => [event, event])
    case 'restated':
      return [...callEvents(args, number, 'openai', sizes), call(part(number, args))]
    case 'objects':
      return [call(part(number, JSON.parse(args), 'f', id))]
  }
}

test('reads back any message in any style, however it is cut into fragments', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
  const property = fc.asyncProperty(anyMessage, fc.constantFrom(...STYLES), sizes, async (message, style, cuts) => {
    const outcome = await outcomeOf(
      [
        ...pieces(message.reasoning, cuts).map((fragment) => delta({ reasoning_content: fragment })),
        ...pieces(message.text, cuts).map(text),
        ...message.calls.flatMap((args, number) => callEvents(args, number, style, cuts)),
        finish(message.calls.length > 0 ? 'tool_calls' : 'stop'),
        done,
      ].join(''),
    )
    expect(outcome.text).toBe(message.text)
    expect(outcome.reasoning).toBe(message.reasoning)
    expect(outcome.calls.map(({ raw, input }) => raw ?? JSON.stringify(input))).toEqual(message.calls)
    expect(outcome.finish).toBe(message.calls.length > 0 ? 'tool_calls' : 'stop')
  })
  await fc.assert(property, { seed: 1, numRuns: 400 })
})

// ── Anything at all ──

const anyWord = fc.constantFrom(
  '',
  'a',
  '{',
  '{"a":1}',
  '}',
  'stop',
  'length',
  'tool_calls',
  '<think>',
  '</think>',
  '\ud83d',
  '\ude00',
  '__proto__',
)
const anyValue: fc.Arbitrary<unknown> = fc.oneof(anyWord, fc.constantFrom(null, undefined, 0, 1, -1, true, {}, []))

const anyFragment = fc.record(
  {
    index: anyValue,
    id: anyValue,
    function: fc.oneof(anyValue, fc.record({ name: anyValue, arguments: anyValue }, { requiredKeys: [] })),
    custom: fc.oneof(anyValue, fc.record({ name: anyValue, input: anyValue })),
    extra_content: fc.oneof(anyValue, fc.record({ google: fc.record({ thought_signature: anyValue }) })),
  },
  { requiredKeys: [] },
)
const anyBody = fc.record(
  {
    role: anyValue,
    content: fc.oneof(anyValue, fc.array(fc.record({ type: anyValue, text: anyValue, thinking: anyValue }))),
    refusal: anyValue,
    reasoning_content: anyValue,
    reasoning: anyValue,
    reasoning_details: fc.oneof(
      anyValue,
      fc.array(fc.record({ index: anyValue, text: anyValue, signature: anyValue, data: anyValue })),
    ),
    tool_calls: fc.oneof(anyValue, fc.array(anyFragment, { maxLength: 3 })),
    function_call: fc.oneof(anyValue, fc.record({ name: anyValue, arguments: anyValue })),
    audio: fc.oneof(anyValue, fc.record({ transcript: anyValue, expires_at: anyValue })),
  },
  { requiredKeys: [] },
)
const anyChoice = fc.record(
  {
    index: anyValue,
    delta: fc.oneof(anyValue, anyBody),
    message: fc.oneof(anyValue, anyBody),
    finish_reason: anyValue,
    usage: anyValue,
    error: fc.constantFrom(null, {}),
  },
  { requiredKeys: [] },
)
const anyChunk = fc.record(
  {
    id: anyValue,
    model: anyValue,
    created: anyValue,
    choices: fc.oneof(anyValue, fc.array(anyChoice, { maxLength: 3 })),
    usage: fc.oneof(anyValue, fc.record({ prompt_tokens: anyValue })),
  },
  { requiredKeys: [] },
)

test('never throws, ends once, and leaves no call open that is not pending', async () => {
  const options = fc.record({
    toolArguments: fc.constantFrom('detect' as const, 'suffix' as const, 'cumulative' as const),
    thinkTags: fc.constantFrom('off' as const, 'split' as const, 'opened' as const),
    dropRepeats: fc.boolean(),
  })
  const property = fc.asyncProperty(
    fc.array(anyChunk, { maxLength: 8 }),
    fc.boolean(),
    options,
    async (chunks, marked, some) => {
      const events = await eventsOf(chunks.map(data).join('') + (marked ? done : ''), some)
      const { calls, facts } = summary(events)
      const ends = facts.filter(({ type }) => type === 'awaiting' || type === 'run_finished' || type === 'run_failed')
      expect(ends).toEqual([facts.at(-1)])
      const answered = new Set(facts.filter((fact) => fact.type === 'tool_result').map(({ id }) => id))
      for (const { id, executable } of calls) expect([id, answered.has(id)]).toEqual([id, !executable])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
    },
  )
  await fc.assert(property, { seed: 1, numRuns: 1500 })
})

test('anything in place of an event ends the run, and never as an empty success', async () => {
  const anyLine = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.constantFrom('data', 'event: error', 'error: {', '<html>'),
  )
  const property = fc.asyncProperty(
    fc.array(anyLine),
    fc.constantFrom('\n', '\n\n', '\ndata: '),
    async (lines, separator) => {
      const { finish: end, error } = summary(await eventsOf(separator + lines.join(separator)))
      expect(end).toBe('error')
      expect(error?.code).toMatch(/^[a-z0-9_]+$/)
    },
  )
  await fc.assert(property, { seed: 1, numRuns: 500 })
})
