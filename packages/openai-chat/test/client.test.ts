import { expect, test } from 'vitest'
import { type ClientVersion, readChunks, readFinal, readWhole, runTools } from './client.ts'
import { call, data, delta, done, finish, part, text } from './streams.ts'

const VERSIONS: readonly ClientVersion[] = ['7', '6']

const spoken = delta({ role: 'assistant', content: '' }) + text('Hel') + text('lo')
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
const counted = data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })

const calling =
  delta({ role: 'assistant', content: '' }) +
  call(part(0, '', 'search', 'c1')) +
  call(part(0, '{"q":')) +
  call(part(0, '1}')) +
  finish('tool_calls')

const clean = { warnings: [], requests: 1 }

test.each(VERSIONS)('client %s reads a correct stream the same in every way', async (version) => {
  const body = spoken + finish('stop') + counted + done
  const view = { text: 'Hello', toolCalls: [], finish: 'stop', usage, ...clean }
  expect(await readChunks(body, { version })).toMatchObject(view)
  expect(await readFinal(body, { version })).toMatchObject(view)
  expect(await runTools(body, { version })).toMatchObject({ ...view, usage })
})

test.each(VERSIONS)('client %s gives the calls of a stream, and runs them where it is told to', async (version) => {
  const view = { text: '', toolCalls: [{ id: 'c1', name: 'search', arguments: '{"q":1}' }], finish: 'tool_calls' }
  const options = { version, tools: ['search'] }
  expect(await readChunks(calling + done, options)).toMatchObject({ ...view, ...clean })
  expect(await readFinal(calling + done, { ...options, strict: true })).toMatchObject({ ...view, ...clean })
  const ran = await runTools(calling + done, options)
  expect(ran).toMatchObject({ ...view, requests: 2 })
  expect(ran.sent[1]).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool', tool_call_id: 'c1', content: 'ran' }],
  })
})

test.each(VERSIONS)('client %s reports an error frame and what came before it', async (version) => {
  const failure = { message: 'too many', type: 'server_error', param: null, code: 'rate_limited' }
  const body = spoken + data({ error: failure })
  const { param: _, ...error } = failure
  expect(await readChunks(body, { version })).toMatchObject({ text: 'Hello', finish: undefined, error, ...clean })
  expect(await readFinal(body, { version })).toMatchObject({ text: 'Hello', error, ...clean })
  expect(await runTools(body, { version })).toMatchObject({ error, ...clean })
})

test.each(VERSIONS)('client %s gives up on a stream without role or finish', async (version) => {
  expect((await readFinal(text('a') + finish('stop') + done, { version })).error?.message).toMatch(/role/)
  expect((await readFinal(spoken + done, { version })).error?.message).toMatch(/finish_reason/)
})

test.each(VERSIONS)(
  'client %s runs a call of the server itself and asks again, whatever the finish says',
  async (version) => {
    const body = calling.replace('"tool_calls"}', '"stop"}').replace('"search"', '"server_search"') + done
    const { requests, sent } = await runTools(body, { version, tools: ['search'] })
    expect(requests).toBe(2)
    expect(JSON.stringify(sent[1])).toContain('Invalid tool_call')
  },
)

test.each(VERSIONS)('client %s reads a whole body, and the error body of a status', async (version) => {
  const message = { role: 'assistant', content: 'Hello', refusal: null }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
  const body = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices, usage }
  expect(await readWhole(body, { version })).toMatchObject({ text: 'Hello', finish: 'stop', usage, ...clean })
  const error = { message: 'no key', type: 'authentication_error', param: null, code: 'no_key' }
  const refused = await readWhole({ error }, { version, status: 401 })
  expect(refused).toMatchObject({ error: { status: 401, type: 'authentication_error', code: 'no_key' }, requests: 1 })
})
