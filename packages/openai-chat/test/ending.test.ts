import { isCommit } from '@factwire/core'
import { expect, test } from 'vitest'
import { call, chunk, committed, data, delta, done, finish, itemsOf, outcomeOf, part, text } from './streams.ts'

const CALL = call(part(0, '{}', 'now', 'a'))

test('row 19: calls and stop are calls; calls and length or a filter are not', async () => {
  expect(await outcomeOf(CALL + finish('stop') + done)).toMatchObject({
    finish: 'tool_calls',
    calls: [{ executable: true }],
  })
  expect(await outcomeOf(CALL + finish('length') + done)).toMatchObject({
    finish: 'length',
    calls: [{ executable: false }],
  })
  expect(await outcomeOf(CALL + finish('content_filter') + done)).toMatchObject({
    finish: 'content_filter',
    calls: [{ executable: false }],
  })
})

test('row 20: an early finish does not end the stream', async () => {
  const early = (content: string): string => chunk([{ index: 0, delta: { content }, finish_reason: 'stop' }])
  expect(await outcomeOf(early('a') + early('b') + done)).toMatchObject({ text: 'ab', finish: 'stop' })
  expect(await outcomeOf(finish('stop') + text('late') + CALL + finish('tool_calls'))).toMatchObject({
    text: 'late',
    finish: 'tool_calls',
  })
})

test.each([
  ['text', text(' world and')],
  ['reasoning', delta({ reasoning_content: 'Hm' })],
  ['reasoning in details', delta({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] })],
  ['a refusal', delta({ refusal: 'No' })],
  ['a transcript', delta({ audio: { transcript: 'No' } })],
  ['a call cut in its arguments', call(part(1, '{"y"', 'g', 'b'))],
  ['a name alone', call(part(1, '', 'g', 'b'))],
  ['more of arguments', call(part(0, '{"x":1'))],
])('row 20: after an early finish, %s without an end mark or another finish is cut short', async (_what, late) => {
  for (const reason of ['stop', 'tool_calls', 'length', 'content_filter']) {
    const early = chunk([{ index: 0, delta: { content: 'Hello' }, finish_reason: reason }])
    const begun = call(part(0, '', 'f', 'a')) + early + late
    const { finish: end, error, calls } = await outcomeOf(begun)
    expect({ end, code: error?.code }).toEqual({ end: 'error', code: 'stream_truncated' })
    expect(calls.filter(({ executable }) => executable)).toEqual([])
    const { error: none } = await outcomeOf(begun + done)
    expect(none).toBeUndefined()
    expect(await outcomeOf(begun + finish(reason))).toEqual(await outcomeOf(begun + finish(reason) + done))
    // These are no finish.
    expect(await outcomeOf(begun + finish(null) + finish(''))).toMatchObject({ error: { code: 'stream_truncated' } })
  }
})

test.each([
  ['usage', chunk([], { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })],
  ['an empty delta', delta({})],
  [
    'empty fields',
    delta({ role: 'assistant', content: '', reasoning_content: '', reasoning_details: [], tool_calls: [] }),
  ],
  ['an empty detail', delta({ reasoning_details: [{ type: 'reasoning.text', text: '' }] })],
  ['an empty piece of a call', call(part(0, ''))],
  ['the same call again', call(part(0, '{}', 'now', 'a'))],
  ['a signature', delta({ extra_content: { google: { thought_signature: 'c2ln' } } })],
  ['the result of a tool of the server', delta({ role: 'tool', content: '22 °C' })],
])('row 20: after the finish, %s takes nothing from it', async (_what, late) => {
  expect(await outcomeOf(CALL + finish('tool_calls') + late)).toMatchObject({
    finish: 'tool_calls',
    calls: [{ executable: true }],
  })
})

test('row 20: another answer beside this one may go on after the finish', async () => {
  const other = chunk([{ index: 1, delta: { content: 'Hallo' }, finish_reason: null }])
  expect(await outcomeOf(text('Hi') + other + finish('stop') + other)).toMatchObject({ text: 'Hi', finish: 'stop' })
})

test('row 20: a failure that the provider reports stays its own, whatever comes after it', async () => {
  expect(await outcomeOf(text('Hi') + finish('network_error') + text('late'))).toMatchObject({
    error: { code: 'network_error' },
  })
})

test('rows 20 and 21: of several reasons the worst counts, in any order', async () => {
  for (const [one, other, end] of [
    ['stop', 'stop', 'stop'],
    ['stop', 'length', 'length'],
    ['stop', 'content_filter', 'content_filter'],
    ['length', 'error', 'error'],
  ] as const) {
    expect(await outcomeOf(text('Hi') + finish(one) + finish(other) + done)).toMatchObject({ finish: end })
    expect(await outcomeOf(text('Hi') + finish(other) + finish(one) + done)).toMatchObject({ finish: end })
  }
  expect(await outcomeOf(CALL + finish('tool_calls') + finish('length') + done)).toMatchObject({
    finish: 'length',
    calls: [{ executable: false }],
  })
})

test('row 22: text beside the finish is read', async () => {
  expect(
    await outcomeOf(chunk([{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', stop_reason: null }]) + done),
  ).toMatchObject({ text: 'Hi', finish: 'stop' })
})

test('row 23: an end mark stands for a finish that never comes; the end of the input does not', async () => {
  expect(await outcomeOf(text('Hi') + done)).toMatchObject({ text: 'Hi', finish: 'stop' })
  expect(await outcomeOf(CALL + done)).toMatchObject({ finish: 'tool_calls' })
  expect(await outcomeOf(text('Hi'))).toMatchObject({
    text: 'Hi',
    finish: 'error',
    error: { code: 'stream_truncated' },
  })
})

test('row 24: null, an empty text and no finish at all are the same', async () => {
  const none = chunk([{ index: 0, delta: { content: 'Hi' } }])
  expect(await outcomeOf(none + finish('') + finish(null))).toMatchObject({ finish: 'error' })
  expect(await outcomeOf(none + finish('') + finish('stop'))).toMatchObject({ finish: 'stop' })
})

test.each([
  ['end_turn', 'stop'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['STOP', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['content-filter', 'content_filter'],
  ['RECITATION', 'content_filter'],
])('row 25: the foreign finish %s is %s', async (reason, end) => {
  expect(await outcomeOf(text('Hi') + finish(reason) + done)).toMatchObject({ finish: end, text: 'Hi' })
})

test.each([
  ['insufficient_system_resource', 'insufficient_system_resource'],
  ['error', 'provider_error'],
  ['MALFORMED_FUNCTION_CALL', 'malformed_function_call'],
  ['banana', 'unknown_finish'],
  ['constructor', 'unknown_finish'],
])('row 25: the finish %s fails with %s', async (reason, code) => {
  const { error, text: words } = await outcomeOf(text('Hi') + finish(reason) + done)
  expect(error).toEqual({ code, message: `the provider finished with "${reason}"` })
  expect(words).toBe('Hi')
})

test('row 25: the foreign words for calls', async () => {
  for (const reason of ['tool_use', 'function_call', 'tool_calls']) {
    expect(await outcomeOf(CALL + finish(reason) + done)).toMatchObject({
      finish: 'tool_calls',
      calls: [{ executable: true }],
    })
    expect(await outcomeOf(text('Hi') + finish(reason) + done)).toMatchObject({
      finish: 'error',
      error: { code: 'missing_tool_calls' },
    })
  }
})

test('row 50: finish and the end of the input are success', async () => {
  expect(await outcomeOf(text('Hi') + finish('stop'))).toMatchObject({ finish: 'stop' })
  expect(await outcomeOf((text('Hi') + finish('stop')).trimEnd())).toMatchObject({ finish: 'stop' })
})

test('an end mark without any answer is an error, an empty answer is not', async () => {
  for (const body of [done, chunk([]) + done, data({ id: 'x' }) + done]) {
    expect(await outcomeOf(body)).toMatchObject({ finish: 'error', error: { code: 'empty_stream' } })
  }
  expect(await outcomeOf(delta({ role: 'assistant', content: '' }) + finish('stop') + done)).toMatchObject({
    finish: 'stop',
    text: '',
  })
})

test('an input without anything is cut short', async () => {
  for (const body of ['', ': ping\n\n', '\n\n']) {
    expect(await outcomeOf(body)).toMatchObject({ finish: 'error', error: { code: 'stream_truncated' } })
  }
})

test('a connection that breaks fails before the end mark, finished or not, and not after it', async () => {
  const broken = { broken: true }
  expect(await outcomeOf(text('Hi'), {}, broken)).toMatchObject({
    text: 'Hi',
    error: { code: 'stream_failed', message: 'the stream could not be read' },
  })
  expect(await outcomeOf(text('Hi') + finish('stop'), {}, broken)).toMatchObject({
    text: 'Hi',
    error: { code: 'stream_failed' },
  })
  expect(await outcomeOf(text('Hi') + finish('stop') + done, {}, broken)).toMatchObject({ text: 'Hi', finish: 'stop' })
})

test('after the end mark nothing counts, be it broken', async () => {
  const rest = text('more') + data({ error: { message: 'late' } }) + data('{oops') + done
  expect(await outcomeOf(text('Hi') + finish('stop') + done + rest)).toMatchObject({ text: 'Hi', finish: 'stop' })
})

test('an error after the finish fails the run', async () => {
  const outcome = await outcomeOf(text('Hi') + finish('stop') + data({ error: { message: 'late' } }) + done)
  expect(outcome).toMatchObject({ text: 'Hi', finish: 'error', error: { message: 'late' } })
})

test('row 58: a refusal is said, in a block of its own, and blocks', () => {
  const items = itemsOf([
    delta({ content: 'Well. ' }),
    delta({ refusal: 'I can' }),
    delta({ refusal: 'not.' }),
    finish('stop'),
    done,
  ])
  const commit = committed(items)
  expect(commit.messages[0]?.content).toEqual([
    { type: 'text', text: 'Well. ' },
    { type: 'text', text: 'I cannot.' },
  ])
  expect(commit.state).toEqual({ type: 'ended', cause: { type: 'blocked', reason: 'refusal' } })
})

test('row 58: an empty refusal is none', async () => {
  expect(
    await outcomeOf(delta({ content: 'Hi', refusal: '' }) + delta({ refusal: null }) + finish('stop') + done),
  ).toMatchObject({ finish: 'stop' })
})

test('audio is its transcript, and its expiry may be all the finish there is', async () => {
  const body =
    delta({ audio: { id: 'x' } }) +
    delta({ audio: { transcript: 'Hel' } }) +
    delta({ audio: { transcript: 'lo', data: 'AAAA' } })
  expect(await outcomeOf(body + delta({ audio: { expires_at: 1 } }))).toMatchObject({ text: 'Hello', finish: 'stop' })
  expect(await outcomeOf(body)).toMatchObject({ text: 'Hello', finish: 'error' })
  const last = delta({ audio: { transcript: '!', expires_at: 1 } })
  expect(await outcomeOf(body + last)).toMatchObject({ text: 'Hello!', finish: 'stop' })
})

test('the states of a run are those of the neutral vocabulary', () => {
  const stateOf = (reason: string): object => committed(itemsOf([text('Hi'), finish(reason), done])).state
  expect(stateOf('stop')).toEqual({ type: 'ended', cause: { type: 'natural_end' } })
  expect(stateOf('length')).toEqual({ type: 'ended', cause: { type: 'max_steps', code: 'length' } })
  expect(stateOf('content_filter')).toEqual({ type: 'ended', cause: { type: 'blocked', reason: 'content_filter' } })
})

test('the first frame starts the run, the last commit says how it ended and what it cost', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
  const items = itemsOf([delta({ role: 'assistant', content: '' }), text('Hi'), finish('stop', { usage }), done], {
    durationMs: () => 42,
  })
  expect(items).toEqual([
    { messages: [], state: { type: 'running' } },
    { type: 'text_delta', delta: 'Hi', message_id: 'chatcmpl-1', offset: 0 },
    {
      messages: [{ id: 'chatcmpl-1', role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }],
      state: { type: 'ended', cause: { type: 'natural_end' } },
      inference: { model: 'm', usage, duration_ms: 42 },
    },
  ])
  expect(items.filter(isCommit)).toHaveLength(2)
})
