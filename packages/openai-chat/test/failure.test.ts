import { expect, test } from 'vitest'
import { chunk, data, delta, done, finish, outcomeOf, text } from './streams.ts'

const errorOf = async (body: string): Promise<object | undefined> => {
  const outcome = await outcomeOf(text('Hi') + body)
  expect(outcome.text).toBe('Hi')
  return outcome.error
}

test('row 40: a whole message at the end is a copy, and its usage counts', async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
  const message = { role: 'assistant', content: 'Hello', reasoning_content: 'Hm' }
  const whole = data({
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage,
  })
  expect(await outcomeOf(delta({ reasoning_content: 'Hm' }) + text('Hello') + whole)).toMatchObject({
    text: 'Hello',
    reasoning: 'Hm',
    finish: 'stop',
    usage,
  })
  expect(await outcomeOf(whole)).toMatchObject({ text: 'Hello', reasoning: 'Hm', finish: 'stop', usage })
})

test('row 40: a body that is one completion and no stream', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const body = JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  })
  expect(await outcomeOf(body)).toMatchObject({
    finish: 'tool_calls',
    calls: [{ id: 'a', input: { a: 1 }, executable: true }],
  })
})

test('row 41: a message beside a delta is a copy, unless no delta says anything', async () => {
  const both = (content: string, so_far: string): string =>
    chunk([{ index: 0, delta: { content }, message: { role: 'assistant', content: so_far }, finish_reason: null }])
  expect(await outcomeOf(both('', 'H') + both('Hel', 'Hel') + both('lo', 'Hello') + finish('stop'))).toMatchObject({
    text: 'Hello',
  })
  expect(await outcomeOf(both('', 'Hel') + both('', 'Hello') + finish('stop'))).toMatchObject({ text: 'Hello' })
})

test('row 40: messages in place of deltas may be pieces or all there is so far', async () => {
  const message = (content: string): string => chunk([{ index: 0, message: { role: 'assistant', content } }])
  expect(await outcomeOf(message('') + message('Hel') + message('lo') + finish('stop'))).toMatchObject({
    text: 'Hello',
  })
  expect(await outcomeOf(message('') + message('Hel') + message('Hello') + finish('stop'))).toMatchObject({
    text: 'Hello',
  })
})

test('row 40: messages of alternatives do not mix', async () => {
  const messages = (...contents: string[]): string =>
    chunk(contents.map((content, index) => ({ index, message: { role: 'assistant', content } })))
  const body = messages('Hel', 'By') + messages('Hello', 'Bye') + messages('Hello!', 'Bye!')
  expect(await outcomeOf(body + finish('stop'))).toMatchObject({ text: 'Hello!' })
  const beside = ['Hello', 'Bye'].map((content, index) => ({
    index,
    delta: {},
    message: { role: 'assistant', content },
  }))
  expect(await outcomeOf(chunk(beside) + finish('stop'))).toMatchObject({ text: 'Hello' })
})

test('row 42: Azure starts with a chunk that says nothing, and may filter after the finish', async () => {
  const first = data({ choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [] })
  const outcome = await outcomeOf(first + text('Hi') + finish('stop') + done)
  expect(outcome).toMatchObject({ text: 'Hi', finish: 'stop' })
  expect(outcome.facts).toContainEqual({ type: 'inference_completed', model: 'm', duration_ms: 0 })
  const filtered = chunk([{ index: 0, finish_reason: 'content_filter', content_filter_results: {} }])
  expect(await outcomeOf(first + text('Hi') + finish('stop') + filtered + done)).toMatchObject({
    finish: 'content_filter',
  })
})

test('row 43: event: error, with and without an error object', async () => {
  const event = (value: string): string => `event: error\ndata: ${value}\n\n`
  expect(
    await errorOf(event('{"error":{"message":"boom","type":"invalid_request_error","code":"tool_use_failed"}}')),
  ).toEqual({ code: 'tool_use_failed', message: 'boom' })
  expect(await errorOf(event('{"message":"boom","code":"X-1"}'))).toEqual({ code: 'x_1', message: 'boom' })
  expect(await errorOf(event('upstream is gone'))).toEqual({ code: 'provider_error', message: 'upstream is gone' })
  expect(await errorOf(event('{"status":"bad"}'))).toEqual({ code: 'provider_error', message: '{"status":"bad"}' })
})

test('row 44: an error beside choices comes after them', async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
  const both = chunk([{ index: 0, delta: { content: 'Hi' }, finish_reason: 'error' }], {
    usage,
    error: { code: 502, message: 'boom' },
  })
  expect(await outcomeOf(both + done)).toMatchObject({
    text: 'Hi',
    usage,
    error: { code: 'http_502', message: 'boom' },
  })
  expect(await errorOf(chunk([{ index: 0, delta: {}, error: { code: 500, message: 'boom' } }]))).toEqual({
    code: 'http_500',
    message: 'boom',
  })
  expect(await errorOf(chunk([], { x_groq: { error: 'boom' } }))).toEqual({ code: 'provider_error', message: 'boom' })
})

test('row 45: an error object of vLLM', async () => {
  expect(await errorOf(data({ object: 'error', message: 'boom', type: 'BadRequestError', code: 400 }))).toEqual({
    code: 'badrequesterror',
    message: 'boom',
  })
})

test('row 45: an error object without a message', async () => {
  expect(await errorOf(data({ object: 'error', code: 400 }))).toMatchObject({ code: 'http_400' })
})

test('row 46: an error field outside the grammar', async () => {
  expect(await errorOf('error: {"code":500,"message":"boom","type":"server_error"}\n\n' + done)).toEqual({
    code: 'server_error',
    message: 'boom',
  })
  expect(await errorOf('error: boom\n\n' + done)).toEqual({ code: 'provider_error', message: 'boom' })
})

test('row 47: errors of gateways', async () => {
  expect(await errorOf(data({ error: 'boom' }) + done)).toEqual({ code: 'provider_error', message: 'boom' })
  expect(await errorOf(data({ error: {} }))).toMatchObject({ code: 'provider_error' })
  expect(await errorOf(data({ detail: 'boom' }))).toEqual({ code: 'provider_error', message: 'boom' })
  expect(await errorOf(data({ detail: [{ loc: ['body'], msg: 'boom' }] }))).toMatchObject({
    message: '[{"loc":["body"],"msg":"boom"}]',
  })
  expect(await errorOf(data({ message: 'boom' }))).toMatchObject({ message: 'boom' })
  expect(await errorOf(data([{ error: { message: 'boom', status: 'UNAVAILABLE', code: 503 } }]))).toEqual({
    code: 'http_503',
    message: 'boom',
  })
  expect(await errorOf('<html><body>502 Bad Gateway</body></html>\n')).toMatchObject({ code: 'stream_malformed' })
  expect(await outcomeOf('{"error":{"message":"bad","code":"y"}}')).toMatchObject({
    text: '',
    error: { code: 'y', message: 'bad' },
  })
})

test('an error key that says nothing is no error', async () => {
  for (const error of [null, '', false, 0, []]) {
    expect(await outcomeOf(delta({ content: 'Hi' }, { error }) + finish('stop', { error }) + done)).toMatchObject({
      text: 'Hi',
      finish: 'stop',
    })
  }
})

test('what is no chunk fails the run with what came before it', async () => {
  for (const value of [
    'oops',
    'DONE',
    '"text"',
    '1',
    'true',
    '[1]',
    '{"choices":',
    `${'['.repeat(200)}${']'.repeat(200)}`,
  ]) {
    expect(await errorOf(data(value) + text('more') + finish('stop') + done)).toMatchObject({
      code: 'stream_malformed',
    })
  }
})

test('messages are bounded', async () => {
  expect((await outcomeOf(data({ error: { message: 'x'.repeat(100_000), code: 'y'.repeat(1000) } }))).error).toEqual({
    code: 'y'.repeat(64),
    message: 'x'.repeat(4000),
  })
})
