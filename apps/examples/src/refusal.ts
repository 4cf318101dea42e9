/** What a request that cannot be served is told, in a client's own words. */
import { type Encodable, type ErrorCode, type Failure, FactwireError, isObject } from '@factwire/core'

export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

const STATUS: ReadonlyMap<ErrorCode, number> = new Map([
  ['malformed_json', 400],
  ['invalid_value', 400],
  ['too_deep', 400],
  ['too_large', 413],
])

/** A mistake of the client's says where it is; whatever else went wrong stays inside. */
export function refusal(protocol: Pick<Encodable<never>, 'error'>, error: unknown): Refusal {
  const status = statusOf(error)
  // OpenAI's SDKs send a request that got a 500 again, which could run the agent again.
  const headers: Readonly<Record<string, string>> = status < 500 ? {} : { 'x-should-retry': 'false' }
  return { status, headers, body: protocol.error?.(status, failureOf(error, status)) }
}

/** Frameworks say by `status` what they refuse themselves. */
function statusOf(error: unknown): number {
  if (error instanceof FactwireError) return STATUS.get(error.code) ?? 500
  const status = isObject(error) ? error['status'] : undefined
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500
}

function failureOf(error: unknown, status: number): Failure {
  if (status >= 500) return { code: 'internal', message: 'the server failed' }
  return error instanceof FactwireError
    ? { code: error.code, message: error.message }
    : { code: 'bad_request', message: 'the body cannot be read' }
}
