import { isObject } from './json.ts'

/**
 * The text of `result.response`, where `result` is an object and its `response` a string; empty otherwise.
 *
 * Nothing is trimmed, converted or looked for elsewhere.
 */
export function extractResponse(result: unknown): string {
  return isObject(result) && Object.hasOwn(result, 'response') && typeof result['response'] === 'string'
    ? result['response']
    : ''
}
