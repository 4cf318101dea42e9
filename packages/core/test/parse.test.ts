import { deepStrictEqual } from 'node:assert/strict'
import { FactwireError, type Json, parseEvent, parseEventText } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentEvent, json } from './arbitraries.ts'

const fact = (event: object): unknown => ({ tier: 'fact', event })
const delta = (event: object): unknown => ({ tier: 'delta', event })

function refusal(value: unknown): string {
  try {
    parseEvent(value)
  } catch (error) {
    if (error instanceof FactwireError && error.code === 'invalid_value') return error.message
    throw error
  }
  return 'accepted'
}

test('gives back every event, its keys in the same order', () => {
  fc.assert(
    fc.property(agentEvent, (event) => {
      const parsed = parseEvent(JSON.parse(JSON.stringify(event)))
      deepStrictEqual(parsed, event)
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(event))
    }),
    { seed: 1, numRuns: 1500 },
  )
})

test('puts keys in the order of the interface and drops unknown fields', () => {
  const parsed = parseEvent({
    seq: 7,
    event: { offset: 0, delta: 'a', extra: 1, type: 'text_delta', message_id: 'm' },
    tier: 'delta',
  })
  expect(JSON.stringify(parsed)).toBe(
    '{"tier":"delta","event":{"type":"text_delta","delta":"a","message_id":"m","offset":0}}',
  )
})

test('throws nothing but its own error, whatever JSON comes', () => {
  // `refusal` throws on anything else that is thrown.
  const values = fc.oneof({ weight: 1, arbitrary: json }, { weight: 5, arbitrary: damagedEvent })
  fc.assert(
    fc.property(values, (value) => {
      expect(refusal(value)).toMatch(/^accepted$|expected .*, got /)
    }),
    { seed: 1, numRuns: 2000 },
  )
})

/** A good event in which one value, however deep, was replaced. */
const damagedEvent = fc.tuple(agentEvent, json, fc.nat()).map(([event, value, place]) => {
  const whole: unknown = JSON.parse(JSON.stringify(event))
  const places: { readonly holder: { [key: string]: unknown }; readonly key: string }[] = []
  const walk = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return
    for (const key of Object.keys(holder)) {
      const fields = holder as { [key: string]: unknown }
      places.push({ holder: fields, key })
      walk(fields[key])
    }
  }
  walk(whole)
  const chosen = places[place % places.length]
  if (chosen) Object.defineProperty(chosen.holder, chosen.key, { value, enumerable: true })
  return whole
})

test('names the path, what was expected and what came', () => {
  const text = { type: 'text', text: 'a' }
  expect(refusal(null)).toBe('expected an object, got null')
  expect(refusal({})).toBe('tier: expected one of fact, delta, got nothing')
  expect(refusal({ tier: 'fact' })).toBe('event: expected an object, got nothing')
  expect(refusal(fact({ type: 'text_delta', delta: 'a' }))).toMatch(
    /^event\.type: expected one of run_started, .*activity_snapshot, got "text_delta"$/,
  )
  expect(refusal(fact({ type: 'assistant_message', id: 'm', content: [text, text, { type: 'text', text: 3 }] }))).toBe(
    'event.content[2].text: expected a string, got number',
  )
  expect(refusal(fact({ type: 'assistant_message', id: 'm', content: 'a' }))).toBe(
    'event.content: expected an array, got string',
  )
  expect(refusal(fact({ type: 'run_finished', exhausted: 'no' }))).toBe(
    'event.exhausted: expected true or false, got string',
  )
  expect(refusal(fact({ type: 'tool_call', id: 'c', name: 'f', disposition: 'executed' }))).toBe(
    'event.input: expected a JSON value, got nothing',
  )
  expect(refusal(fact({ type: 'tool_call', id: 'c', name: 'f', input: 1, disposition: 'later' }))).toBe(
    'event.disposition: expected one of executed, pending_client, pending_builtin, got "later"',
  )
  expect(refusal(fact({ type: 'run_finished', exhausted: true, cause: { type: 'error', failure: {} } }))).toBe(
    'event.cause.failure.code: expected a string, got nothing',
  )
  expect(refusal(delta({ type: 'state_delta', delta: [{ op: 'remove', path: '/a' }, { op: 'swap' }] }))).toBe(
    'event.delta[1].op: expected one of add, replace, test, remove, move, copy, got "swap"',
  )
})

test('cuts a long value short in its message', () => {
  expect(refusal(fact({ type: 'x'.repeat(1000) })).length).toBeLessThan(400)
})

test('keeps the path beside the message', () => {
  expect(() => parseEvent(delta({ type: 'text_delta' }))).toThrow(
    expect.objectContaining({ name: 'FactwireError', code: 'invalid_value', path: 'event.delta' }),
  )
})

test('refuses variants that are named like inherited properties', () => {
  for (const type of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    expect(refusal(fact({ type }))).toContain('event.type: expected one of')
    expect(refusal({ tier: type, event: { type: 'run_started' } })).toContain('tier: expected one of')
  }
})

test('reads own properties only', () => {
  const inherited: unknown = Object.create({ tier: 'fact', event: { type: 'run_started' } })
  expect(refusal(inherited)).toBe('tier: expected one of fact, delta, got nothing')
})

test('keeps an own __proto__ key of JSON an own key and reaches no prototype', () => {
  const parsed = parseEventText(
    '{"tier":"fact","event":{"type":"state_snapshot","snapshot":{"__proto__":{"polluted":true}},"__proto__":{"polluted":true}}}',
  )
  expect(JSON.stringify(parsed)).toBe(
    '{"tier":"fact","event":{"type":"state_snapshot","snapshot":{"__proto__":{"polluted":true}}}}',
  )
  expect(Object.getPrototypeOf(parsed.event)).toBe(Object.prototype)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test('passes JSON values as they are', () => {
  const snapshot: Json = { a: [1, { b: null }] }
  const parsed = parseEvent(fact({ type: 'state_snapshot', snapshot }))
  expect(parsed.event).toHaveProperty('snapshot')
  expect((parsed.event as { snapshot: unknown }).snapshot).toBe(snapshot)
})

test('takes null for an optional field as its absence', () => {
  expect(parseEvent(delta({ type: 'text_delta', delta: 'a', message_id: null, offset: null })).event).toStrictEqual({
    type: 'text_delta',
    delta: 'a',
  })
  expect(parseEvent(fact({ type: 'run_finished', exhausted: false, cause: null })).event).toStrictEqual({
    type: 'run_finished',
    exhausted: false,
  })
})

test('keeps null where the field holds any JSON', () => {
  expect(parseEvent(fact({ type: 'run_finished', exhausted: false, result: null })).event).toStrictEqual({
    type: 'run_finished',
    exhausted: false,
    result: null,
  })
})

test('takes an absent pending call as none', () => {
  const none = { type: 'awaiting', pending_tool_use_id: null }
  expect(parseEvent(fact({ type: 'awaiting' })).event).toStrictEqual(none)
  expect(parseEvent(fact(none)).event).toStrictEqual(none)
})

test('takes an absent is_error as false, in facts and in blocks', () => {
  const block = { type: 'tool_result', tool_use_id: 'c', content: [] }
  expect(parseEvent(fact({ type: 'tool_result', id: 'c', content: [block] })).event).toStrictEqual({
    type: 'tool_result',
    id: 'c',
    content: [{ ...block, is_error: false }],
    is_error: false,
  })
})

test('checks numbers', () => {
  const offset = (value: unknown): string => refusal(delta({ type: 'text_delta', delta: '', offset: value }))
  expect(offset(0)).toBe('accepted')
  expect(offset(-1)).toBe('event.offset: expected a whole number, 0 or more, got -1')
  expect(offset(1.5)).toBe('event.offset: expected a whole number, 0 or more, got 1.5')
  expect(offset('1')).toBe('event.offset: expected a whole number, 0 or more, got "1"')
  expect(offset(2 ** 53)).toContain('event.offset')

  const inference = (fields: object): string =>
    refusal(fact({ type: 'inference_completed', model: 'm', duration_ms: 0.5, ...fields }))
  expect(inference({ usage: { prompt_tokens: 1 } })).toBe('accepted')
  expect(inference({ usage: { prompt_tokens: 1.5 } })).toBe(
    'event.usage.prompt_tokens: expected a whole number, got 1.5',
  )
  expect(inference({ duration_ms: -1 })).toBe('event.duration_ms: expected a number, 0 or more, got -1')
  expect(inference({ duration_ms: null })).toBe('event.duration_ms: expected a number, 0 or more, got null')
})

test('bounds how deep results stand inside results', () => {
  const nested = (levels: number): unknown => {
    let content: unknown = [{ type: 'text', text: 'a' }]
    for (let level = 0; level < levels; level++) {
      content = [{ type: 'tool_result', tool_use_id: 'c', content, is_error: false }]
    }
    return fact({ type: 'tool_result', id: 'c', content, is_error: false })
  }
  expect(refusal(nested(8))).toBe('accepted')
  expect(refusal(nested(9))).toContain('expected no more than 8 results inside each other')
  expect(refusal(nested(5000))).toContain('expected no more than 8 results inside each other')
})

test('accepts the names of the generation before', () => {
  expect(parseEvent(fact({ type: 'waiting', pending_tool_use_id: 'c' }))).toStrictEqual({
    tier: 'fact',
    event: { type: 'awaiting', pending_tool_use_id: 'c' },
  })
  expect(parseEvent({ tier: 'progress', event: { type: 'text_delta', delta: 'a' } })).toStrictEqual({
    tier: 'delta',
    event: { type: 'text_delta', delta: 'a' },
  })
})

test.each([
  '{"tier":"fact","event":{"type":"run_started"}}',
  '{"tier":"fact","event":{"type":"assistant_message","id":"ru-1-assistant-0","content":[{"type":"text","text":"Sure."}]}}',
  '{"tier":"fact","event":{"type":"assistant_thinking"}}',
  '{"tier":"fact","event":{"type":"tool_call","id":"c1","name":"read","input":{"path":"x"},"disposition":"executed"}}',
  '{"tier":"fact","event":{"type":"tool_result","id":"c1","content":[{"type":"text","text":"ok"}],"is_error":false}}',
  '{"tier":"fact","event":{"type":"awaiting","pending_tool_use_id":"c1"}}',
  '{"tier":"fact","event":{"type":"awaiting","pending_tool_use_id":null}}',
  '{"tier":"fact","event":{"type":"continuation","steered":true,"detail":{"reason":"auto"}}}',
  '{"tier":"fact","event":{"type":"run_finished","exhausted":false}}',
  '{"tier":"fact","event":{"type":"run_failed","code":"rate_limited","message":"429"}}',
  '{"tier":"delta","event":{"type":"text_delta","delta":"Su"}}',
  '{"tier":"delta","event":{"type":"reasoning_delta","delta":"hmm"}}',
  '{"tier":"delta","event":{"type":"tool_call_delta","id":"c1","name":"read","args_delta":"{\\"path\\":"}}',
])('reads and writes the first version byte for byte: %s', (line) => {
  expect(JSON.stringify(parseEventText(line))).toBe(line)
})

test('bounds the text it reads', () => {
  const deep = `{"tier":"fact","event":{"type":"state_snapshot","snapshot":${'['.repeat(200)}${']'.repeat(200)}}}`
  expect(() => parseEventText(deep)).toThrow(expect.objectContaining({ code: 'too_deep' }))
  expect(parseEventText(deep, { depth: 210 }).event.type).toBe('state_snapshot')
  expect(() => parseEventText(deep, { size: 100 })).toThrow(expect.objectContaining({ code: 'too_large' }))
  expect(() => parseEventText('{"tier"')).toThrow(expect.objectContaining({ code: 'malformed_json' }))
})
