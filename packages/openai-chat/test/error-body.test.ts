import { expect, test } from 'vitest'
import { error, errorFrame } from '../src/error-body.ts'
import { framing } from '../src/framing.ts'
import { type ClientVersion, readChunks, readFinal, readWhole } from './client.ts'
import { delta, outcomeOf, text } from './streams.ts'

const VERSIONS: readonly ClientVersion[] = ['7', '6']

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [409, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [500, 'server_error'],
  [503, 'server_error'],
])('says of status %i that it is %s', (status, type) => {
  expect(error(status, { code: 'c', message: 'm' })).toEqual({ error: { message: 'm', type, param: null, code: 'c' } })
})

test('always has a message', () => {
  expect(error(500, { code: 'boom' }).error.message).toBe('the run failed (boom)')
  expect(error(500, { code: 'boom', message: '' }).error.message).toBe('the run failed (boom)')
})

test.each(VERSIONS)('client %s sees the code and the message of a refused request', async (version) => {
  const refused = await readWhole(error(429, { code: 'busy', message: 'later' }), { version, status: 429 })
  expect(refused.error).toEqual({ message: '429 later', status: 429, type: 'rate_limit_error', code: 'busy' })
})

test.each(VERSIONS)('client %s fails at the last frame of a failed stream', async (version) => {
  const body =
    delta({ role: 'assistant', content: '' }) +
    text('so far') +
    framing.text(errorFrame({ code: 'lost', message: 'gone' }))
  const expected = { text: 'so far', error: { message: 'gone', type: 'server_error', code: 'lost' }, warnings: [] }
  expect(await readChunks(body, { version })).toMatchObject(expected)
  expect(await readFinal(body, { version })).toMatchObject(expected)
})

test('is read back by the decoder as the same failure', async () => {
  const body =
    delta({ role: 'assistant', content: 'so far' }) + framing.text(errorFrame({ code: 'lost', message: 'gone' }))
  expect(await outcomeOf(body)).toMatchObject({ finish: 'error', error: { code: 'lost', message: 'gone' } })
})
