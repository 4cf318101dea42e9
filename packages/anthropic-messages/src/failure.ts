/** Turns what providers send in place of an answer into the failure of a run. */
import { type Failure, isObject } from '@factwire/core'
import type { ReadError } from './wire.ts'

const LONGEST_MESSAGE = 4000
const LONGEST_CODE = 64

export function failureOf(error: unknown): Failure {
  if (!isObject(error)) return { code: 'provider_error', message: clip(typeof error === 'string' ? error : '') }
  const { code, type, message }: ReadError = error
  return { code: slugOf(code) || slugOf(type) || 'provider_error', message: clip(wordsOf(message)) }
}

function wordsOf(message: unknown): string {
  if (typeof message === 'string') return message
  return message === undefined || message === null ? '' : JSON.stringify(message)
}

function slugOf(word: unknown): string {
  if (typeof word !== 'string' || !/[a-z]/i.test(word)) return ''
  return word
    .slice(0, LONGEST_CODE)
    .replace(/[^a-z0-9]+/gi, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
}

function clip(message: string): string {
  return message.slice(0, LONGEST_MESSAGE) || 'the provider reported an error without a message'
}
