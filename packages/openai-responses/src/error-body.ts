/** Turns a failure into the wire's error object: the body of a request that was refused. */
import type { Failure } from '@factwire/core'
import type { ErrorBody, ErrorType } from './wire.ts'

/**
 * The body for an HTTP status. Clients repeat a request after 408, 409, 429 and 5xx unless the response says
 * `x-should-retry: false`.
 */
export function error(status: number, { code, message }: Failure): ErrorBody {
  return { error: { message: message || `the run failed (${code})`, type: typeOf(status), param: null, code } }
}

const TYPES: ReadonlyMap<number, ErrorType> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
])

const typeOf = (status: number): ErrorType =>
  TYPES.get(status) ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'server_error')
