/** A refusal as a response: `problem+json`, or the body of the wire whose route it is. */
import type { Encodable } from '@factwire/core'
import { isForAWhile, type Refusal } from './refused.ts'

export type ErrorShape = Pick<Encodable<never>, 'error'>

const TITLES: ReadonlyMap<number, string> = new Map([
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [409, 'Conflict'],
  [413, 'Content Too Large'],
  [415, 'Unsupported Media Type'],
  [421, 'Misdirected Request'],
  [422, 'Unprocessable Content'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
])

export function problem(refusal: Refusal, requestId: string, shape?: ErrorShape): Response {
  const { status, code, message, more = {}, headers = {} } = refusal
  const own = shape?.error?.(status, { code, message })
  const body = own ?? {
    type: 'about:blank',
    title: TITLES.get(status) ?? 'Error',
    status,
    detail: message,
    code,
    ...more,
    request_id: requestId,
  }
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': own === undefined ? 'application/problem+json' : 'application/json',
      'cache-control': 'no-store',
      // Some clients send a conflict or a failure again by themselves: that would run the agent twice.
      ...(isForAWhile(refusal) ? {} : { 'x-should-retry': 'false' }),
      ...headers,
    },
  })
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}
