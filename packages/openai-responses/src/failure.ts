/** Turns what servers send in place of an answer into the failure of a run. */
import { type Failure, isObject } from '@factwire/core'

const LONGEST_MESSAGE = 4000
const LONGEST_CODE = 200

/** Flat, or in a field of its own, or a text. */
export function failureOf(error: unknown): Failure {
  if (!isObject(error)) return { code: UNKNOWN, message: clip(error) }
  const nested = error['error']
  if (isObject(nested)) return failureOf(nested)
  return { code: codeOf(error), message: clip(error['message'] ?? nested) }
}

const UNKNOWN = 'provider_error'

/** Of `error` events the type says only that it is one. */
function codeOf({ code, type }: { readonly [key: string]: unknown }): string {
  for (const word of [code, type === 'error' ? undefined : type]) {
    if (typeof word === 'string' && word !== '') return word.slice(0, LONGEST_CODE)
    if (typeof word === 'number') return `http_${word}`
  }
  return UNKNOWN
}

function clip(message: unknown): string {
  const text =
    typeof message === 'string' ? message : message === undefined || message === null ? '' : JSON.stringify(message)
  return text.slice(0, LONGEST_MESSAGE) || 'the provider reported an error without a message'
}
