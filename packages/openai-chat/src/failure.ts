/** Turns what providers send in place of an answer into the failure of a run. */
import { type Failure, isObject } from '@factwire/core'
import type { ChatErrorBody } from './wire.ts'

const LONGEST_MESSAGE = 4000
const LONGEST_CODE = 64

/** Whether the value of an `error` key says that there is one: many servers send null, false or an empty text on every chunk. */
export function isError(error: unknown): boolean {
  return Boolean(error) && !(Array.isArray(error) && error.length === 0)
}

export function failureOf(error: unknown): Failure {
  if (!isObject(error)) return { code: 'provider_error', message: clip(typeof error === 'string' ? error : '') }
  const body: ChatErrorBody = error
  return { code: codeOf(body), message: clip(messageOf(body)) }
}

function messageOf({ message }: ChatErrorBody): string {
  if (typeof message === 'string') return message
  return message === undefined || message === null ? '' : JSON.stringify(message)
}

/** The provider's word for it: `code` is more exact than `type`, unless it is only the number of an HTTP status. */
function codeOf({ code, type }: ChatErrorBody): string {
  for (const word of [code, type]) {
    const slug = typeof word === 'string' && /[a-z]/i.test(word) ? slugOf(word) : ''
    if (slug !== '') return slug
  }
  const status = Number(code)
  return Number.isInteger(status) && status >= 100 && status < 600 ? `http_${status}` : 'provider_error'
}

function slugOf(word: string): string {
  return word
    .slice(0, LONGEST_CODE)
    .replace(/[^a-z0-9]+/gi, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
}

function clip(message: string): string {
  return message.slice(0, LONGEST_MESSAGE) || 'the provider reported an error without a message'
}
