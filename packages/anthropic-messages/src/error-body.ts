/** Turns a failure into the wire's error object: the body of a refused request, or the last event of a stream that failed. */
import type { Failure } from '@factwire/core'
import { threadDetails } from './threads.ts'
import type { ErrorType, MessagesFailure } from './wire.ts'

/** The body for an HTTP status. Clients repeat a request after 408, 409, 429 and 5xx. */
export function error(status: number, failure: Failure): MessagesFailure {
  return body(TYPES.get(status) ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error'), failure)
}

/** Ends a stream: nothing comes after it. */
export function errorEvent(failure: Failure): MessagesFailure {
  return body(STREAMED.find((type) => type === failure.code) ?? 'api_error', failure)
}

/** The types of the wire are few: the code stands beside them, where it is another word. */
function body(type: ErrorType, { code, message }: Failure): MessagesFailure {
  const said = message || `the run failed (${code})`
  const details = threadDetails(message)
  return {
    type: 'error',
    error: { type, message: said, ...(type === code ? {} : { code }), ...(details === undefined ? {} : { details }) },
  }
}

const TYPES: ReadonlyMap<number, ErrorType> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

/** What a provider may report in mid-stream, so that it goes through unchanged. */
const STREAMED: readonly ErrorType[] = [...TYPES.values(), 'invalid_request_error', 'api_error']
