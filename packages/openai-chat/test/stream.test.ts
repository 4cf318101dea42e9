import { expect, test } from 'vitest'
import { openaiChat } from '../src/index.ts'
import { chunk, data, delta, done, finish, itemsOf, outcomeOf, part, text } from './streams.ts'

const hello = [delta({ role: 'assistant', content: '' }), text('Hel'), text('lo'), finish('stop'), done]

test('row 48: comments, blank lines and empty data between and inside events', async () => {
  const body = `\n\n: ping\n\n${hello.map((event) => `: OPENROUTER PROCESSING\n${event}\ndata:\n\n`).join(': keep-alive\n\n')}`
  expect(await outcomeOf(body)).toMatchObject({ text: 'Hello', finish: 'stop' })
})

test('row 49: every line end', async () => {
  for (const end of ['\r\n', '\r', '\n']) {
    const body = hello.join('').replaceAll('\n', end)
    expect(await outcomeOf(body, {}, { cuts: [1] })).toMatchObject({ text: 'Hello', finish: 'stop' })
  }
  expect(await outcomeOf(`\ufeff${hello.join('')}`)).toMatchObject({ text: 'Hello', finish: 'stop' })
})

test('row 51: lines of JSON without SSE', async () => {
  const lines = hello.map((event) => event.slice('data: '.length, -1)).join('')
  expect(await outcomeOf(lines)).toMatchObject({ text: 'Hello', finish: 'stop' })
  expect(await outcomeOf(lines.trimEnd())).toMatchObject({ text: 'Hello', finish: 'stop' })
})

test('events without a blank line between them never end as an empty success', async () => {
  expect(await outcomeOf(hello.join('').replaceAll('\n\n', '\n'))).toMatchObject({
    finish: 'error',
    error: { code: 'stream_truncated' },
  })
})

test('row 52: another id on every chunk; what the provider runs itself is not shown', async () => {
  const outcome = await outcomeOf(
    delta({ reasoning: 'Searching', executed_tools: [{ index: 0, type: 'search', arguments: '{}' }] }, { id: 'one' }) +
      delta({ executed_tools: [{ index: 0, type: 'search', arguments: '{}', output: 'found' }] }, { id: 'two' }) +
      delta({ content: 'It rains.' }, { id: 'three' }) +
      finish('stop', { id: 'stub' }) +
      done,
  )
  expect(outcome).toMatchObject({ text: 'It rains.', reasoning: 'Searching', calls: [], finish: 'stop' })
  expect(outcome.facts).toContainEqual({ type: 'step_ended', message_id: 'one' })
})

test('rows 53, 54 and 55: a role on every chunk, never, empty or null', async () => {
  for (const role of ['assistant', undefined, '', null]) {
    const fields = (content: string): { role?: unknown; content: string } => ({
      ...(role === undefined ? {} : { role }),
      content,
    })
    const body = [delta(fields('')), delta(fields('Hi')), delta(fields('')), finish('stop')]
    expect(await outcomeOf(body.join(''))).toMatchObject({ text: 'Hi', finish: 'stop' })
  }
})

test('the result of a tool that the server ran is not what the assistant says', async () => {
  const body =
    delta({ role: 'assistant', content: '' }) +
    delta({ role: 'tool', content: '{"a":1}', tool_call_id: 'x' }) +
    text('Hi') +
    finish('stop')
  expect(await outcomeOf(body)).toMatchObject({ text: 'Hi' })
})

test('row 56: text and calls in different choices are one message', async () => {
  for (const [one, other] of [
    [0, 1],
    [0, 0],
    [3, 2],
    [undefined, undefined],
  ]) {
    const body = chunk([
      { index: one, delta: { role: 'assistant', content: 'Looking.' }, finish_reason: null },
      {
        index: other,
        delta: { role: 'assistant', tool_calls: [part(0, '{}', 'now', 'a')] },
        finish_reason: 'tool_calls',
      },
    ])
    expect(await outcomeOf(body + done)).toMatchObject({ text: 'Looking.', calls: [{ id: 'a' }], finish: 'tool_calls' })
  }
})

test('row 56: a choice that brings text as well is an alternative, and no part of the message', async () => {
  const choice = (index: number, content: string): string => chunk([{ index, delta: { content }, finish_reason: null }])
  const end = (index: number, reason: string): string => chunk([{ index, delta: {}, finish_reason: reason }])
  const last = chunk([
    { index: 1, delta: { content: 'e', tool_calls: [part(0, '{}', 'f', 'a')] }, finish_reason: 'length' },
  ])
  const more = delta({ content: '!' })
  expect(await outcomeOf(choice(0, 'Hello') + last + more + end(0, 'stop') + done)).toMatchObject({
    text: 'Hello!',
    finish: 'stop',
    calls: [],
  })
  expect(
    await outcomeOf(
      choice(0, 'Hello') +
        choice(1, 'Bye') +
        chunk([{ index: 1, delta: { tool_calls: [part(0, '{}', 'f', 'a')] } }]) +
        end(0, 'stop'),
    ),
  ).toMatchObject({ finish: 'stop', calls: [] })
  const body =
    choice(0, 'Hel') + choice(1, 'By') + choice(0, 'lo') + choice(1, 'e') + end(1, 'length') + end(0, 'stop') + done
  expect(await outcomeOf(body)).toMatchObject({ text: 'Hello', finish: 'stop' })
})

test('a choice that is not the first is not lost', async () => {
  expect(await outcomeOf(chunk([{ index: 1, delta: { content: 'Hi' }, finish_reason: 'stop' }]))).toMatchObject({
    text: 'Hi',
  })
})

test('row 59: padding and unknown fields are ignored', async () => {
  const noise = {
    obfuscation: 'x',
    p: 'abc',
    latency_checkpoint: {},
    prompt_token_ids: [1],
    citations: ['u'],
    x_agent: { type: 'tool_result' },
  }
  const body =
    delta({ content: 'Hi', annotations: [{ type: 'url_citation' }], token_ids: [1], unknown: {} }, noise) +
    finish('stop', noise)
  expect(await outcomeOf(body)).toMatchObject({ text: 'Hi', finish: 'stop' })
})

test('delta null or absent, choices that are none, parts that are none', async () => {
  const body =
    data({ choices: [{ index: 0, delta: null }, null, 7, 'x', {}] }) +
    delta({ content: 7 }) +
    delta({ content: [null, 7, {}] }) +
    text('Hi') +
    chunk([{ index: 0, finish_reason: 'stop' }])
  expect(await outcomeOf(body)).toMatchObject({ text: 'Hi', finish: 'stop' })
})

test('one id from the first delta on: the one known then, else the option, else a fixed word', async () => {
  const idOf = async (body: string, messageId?: string): Promise<unknown> =>
    (await outcomeOf(body + finish('stop'), messageId === undefined ? {} : { messageId })).facts.find(
      ({ type }) => type === 'assistant_message',
    )
  const first = delta({ role: 'assistant', content: '' }, { id: '' })
  expect(await idOf(first + delta({ content: 'Hi' }, { id: 'real' }))).toMatchObject({ id: 'real' })
  expect(await idOf(first + delta({ content: 'Hi' }, { id: '' }) + text('!'), 'mine')).toMatchObject({ id: 'mine' })
  expect(await idOf(first + delta({ content: 'Hi' }, { id: null }) + text('!'))).toMatchObject({ id: 'message' })
})

test('says which run it read, once known', () => {
  const decoder = openaiChat.decoder()
  expect(decoder.run()).toEqual({})
  decoder.push({ id: '', model: '', created: 0, choices: [] })
  expect(decoder.run()).toEqual({})
  decoder.push({ id: 'x', model: 'm', created: 1700000000, choices: [] })
  decoder.push({ id: 'y', model: 'n', created: 1700000009, choices: [] })
  expect(decoder.run()).toEqual({ runId: 'x', model: 'm', startedAt: 1700000000000 })
})

test('a surrogate pair that was cut is shown whole', () => {
  const items = itemsOf([
    data('{"choices":[{"delta":{"content":"a\\ud83d"}}]}'),
    data('{"choices":[{"delta":{"content":"\\ude00b"}}]}'),
    finish('stop'),
    done,
  ])
  expect(items).toMatchObject([
    { messages: [] },
    { delta: 'a', offset: 0 },
    { delta: '😀b', offset: 1 },
    { messages: [{ content: [{ text: 'a😀b' }] }] },
  ])
})

test('half a surrogate pair at the end is committed', async () => {
  const body = data('{"choices":[{"delta":{"content":"a\\ud83d"},"finish_reason":"stop"}]}')
  expect((await outcomeOf(body)).text).toBe('a\ud83d')
})

test('a stream of very many fragments is read in time', () => {
  const frame = { id: 'x', choices: [{ index: 0, delta: { content: 'word ' } }] }
  const decoder = openaiChat.decoder({ thinkTags: 'split' })
  for (let count = 0; count < 100_000; count++) expect(decoder.push(frame).length).toBeLessThan(3)
  expect(decoder.push('[DONE]')).toMatchObject([{ messages: [{ content: [{ text: 'word '.repeat(100_000) }] }] }])
})

test('nothing comes after the end, and an end comes once', () => {
  const decoder = openaiChat.decoder()
  expect(decoder.push('[DONE]')).toHaveLength(2)
  expect(decoder.push({ choices: [{ delta: { content: 'x' } }] })).toEqual([])
  expect(decoder.end({ code: 'late' })).toEqual([])
  const other = openaiChat.decoder()
  expect(other.end()).toHaveLength(1)
  expect(other.end()).toEqual([])
  expect(other.push('[DONE]')).toEqual([])
})
