/** A request that is not served, as HTTP says it: a status, a code for programs, words for people. */
import { FactwireError, type ErrorCode, isObject, type Json } from '@factwire/core'

export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  /** What a client may need to know beyond that. */
  readonly more?: { readonly [key: string]: Json }
  readonly headers?: Readonly<Record<string, string>>
}

/** Thrown wherever a request is found to be none. */
export class Refused extends Error {
  readonly refusal: Refusal

  constructor(status: number, code: string, message: string, rest: Pick<Refusal, 'more' | 'headers'> = {}) {
    super(message)
    this.refusal = { status, code, message, ...rest }
  }
}

/** Whether the same request may be served when it is sent again: nothing was begun. */
export const isForAWhile = ({ status }: Refusal): boolean => status === 429 || status === 503

const STATUS: ReadonlyMap<ErrorCode, number> = new Map([
  ['malformed_json', 400],
  ['invalid_value', 400],
  ['too_deep', 400],
  ['too_large', 413],
  ['run_taken', 409],
  ['run_ended', 409],
])

/** A mistake of the client's says where it is; whatever else went wrong stays inside. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal
  if (error instanceof FactwireError) {
    const status = STATUS.get(error.code)
    if (status !== undefined) return { status, code: error.code, message: error.message }
  }
  const status = isObject(error) ? error['status'] : undefined
  return typeof status === 'number' && status >= 400 && status < 500
    ? { status, code: 'bad_request', message: 'the request cannot be read' }
    : { status: 500, code: 'internal', message: 'the server failed' }
}
