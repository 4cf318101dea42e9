import { expect, test } from 'vitest'
import { failureIn, failureOfError, failureOfStatus, isTransient } from '../src/failure.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')
const status = (code: number, said = 'provider_error', message = '', headers: Record<string, string> = {}) =>
  failureOfStatus(code, { code: said, message }, new Headers(headers), NOW)

test.each([
  [400, 'provider_error', '', 'invalid_request', false],
  [401, 'provider_error', '', 'unauthorized', false],
  [402, 'provider_error', '', 'quota_exhausted', false],
  [403, 'provider_error', '', 'unauthorized', false],
  [404, 'provider_error', '', 'model_not_found', false],
  [405, 'provider_error', '', 'invalid_request', false],
  [408, 'provider_error', '', 'timeout', true],
  [409, 'provider_error', '', 'provider_error', true],
  [413, 'provider_error', '', 'invalid_request', false],
  [418, 'provider_error', '', 'invalid_request', false],
  [429, 'provider_error', '', 'rate_limited', true],
  [429, 'insufficient_quota', 'no credit', 'quota_exhausted', false],
  [500, 'provider_error', '', 'provider_error', true],
  [500, 'context_length_exceeded', '', 'context_overflow', false],
  [503, 'provider_error', '', 'overloaded', true],
  [504, 'provider_error', '', 'timeout', true],
  [529, 'overloaded_error', '', 'overloaded', true],
  [400, 'invalid_request_error', 'This model has a maximum context length of 8192 tokens', 'context_overflow', false],
  [400, 'provider_error', 'prompt is too long: 210000 tokens', 'context_overflow', false],
  [400, 'content_policy_violation', '', 'content_filtered', false],
  [302, 'provider_error', '', 'invalid_request', false],
])('HTTP %i with the code %s and the words "%s" is %s', (code, said, message, expected, again) => {
  const failure = status(code, said, message)
  expect(failure.code).toBe(expected)
  expect(isTransient(failure)).toBe(again)
  expect(failure.message).toContain(`HTTP ${code}`)
})

test.each([
  ['stream_truncated', 'stream_interrupted', true],
  ['stream_malformed', 'stream_interrupted', true],
  ['empty_stream', 'invalid_answer', true],
  ['missing_tool_calls', 'invalid_answer', true],
  ['invalid_tool_call', 'invalid_answer', true],
  ['unknown_finish', 'invalid_answer', true],
  ['rate_limit_exceeded', 'rate_limited', true],
  ['overloaded_error', 'overloaded', true],
  ['insufficient_system_resource', 'overloaded', true],
  ['server_error', 'provider_error', true],
  ['http_503', 'overloaded', true],
  ['http_401', 'unauthorized', false],
  ['invalid_request_error', 'invalid_request', false],
  ['authentication_error', 'unauthorized', false],
  ['billing_hard_limit_reached', 'quota_exhausted', false],
  ['approval_unsupported', 'approval_unsupported', false],
  ['whatever', 'provider_error', true],
])('%s in a stream is %s', (code, expected, again) => {
  const failure = failureIn({ code })
  expect(failure.code).toBe(expected)
  expect(isTransient(failure)).toBe(again)
})

test.each([
  [{ 'retry-after-ms': '120' }, 120],
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:07 GMT' }, 7000],
  [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after-ms': '-1', 'retry-after': '3' }, 3000],
  [{}, undefined],
])('the wait of %j is %s', (headers, expected) => {
  expect(status(429, 'provider_error', '', headers as Record<string, string>).waitMs).toBe(expected)
})

test('what fetch throws is told with its cause, and whether there was a response', () => {
  const error = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  expect(failureOfError(error, false)).toMatchObject({
    code: 'unreachable',
    message: 'fetch failed: connect ECONNREFUSED',
  })
  expect(failureOfError('gone', true)).toMatchObject({ code: 'stream_interrupted', message: 'gone' })
})

test.each([
  ['received GOAWAY', 'goaway'],
  ['read ECONNRESET', 'connection reset'],
  ['503 upstream', 'provider 503 mid-stream'],
  ['whatever', 'connection reset'],
])('a stream that breaks with "%s" was broken by %s', (message, cause) => {
  expect(failureOfError(new Error(message), true).cause).toBe(cause)
})
