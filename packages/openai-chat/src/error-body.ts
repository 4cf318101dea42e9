/** Turns a failure into the wire's error object: the body of a refused request, or the last frame of a stream that failed. */
import type { Failure } from '@factwire/core'
import type { ChatFailure, ChatFailureType } from './wire.ts'

/**
 * The body for an HTTP status. Clients repeat a request after 408, 409, 429 and 5xx unless the response says
 * `x-should-retry: false`.
 */
export function error(status: number, { code, message }: Failure): ChatFailure {
  return { error: { message: message || sentenceFor(code), type: typeOf(status), param: null, code } }
}

/** Ends a stream: no finish and no end mark comes after it. The status went out long ago, so the failure is the server's. */
export function errorFrame(failure: Failure): ChatFailure {
  return error(500, failure)
}

const TYPES: ReadonlyMap<number, ChatFailureType> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
])

function typeOf(status: number): ChatFailureType {
  return TYPES.get(status) ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'server_error')
}

/** Some clients show an error without a message as an empty object. */
const sentenceFor = (code: string): string => `the run failed (${code})`
