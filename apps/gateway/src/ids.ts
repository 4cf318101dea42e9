/** Ids: those that a client names, looked at; those that the server gives, with 128 random bits or the word of an idempotency key. */
import { createHash, randomBytes } from 'node:crypto'
import { isJsonObject, type Json } from '@factwire/core'
import { Refused } from './refused.ts'

/** Visible ASCII: it can stand in a header, in a path once it is escaped, and in any log. */
const ID = /^[\u0021-\u007e]{1,200}$/

export function idFrom(client: string, what: string): string {
  if (ID.test(client)) return client
  throw new Refused(400, 'invalid_value', `${what}: expected 1 to 200 visible ASCII characters`)
}

/** The idempotency key of a request, if it has one. */
export function keyFrom(header: string | undefined): string | undefined {
  if (header === '') throw new Refused(400, 'invalid_value', 'idempotency-key: expected at least one character')
  return header
}

export const freshId = (kind: string): string => `${kind}-${randomBytes(16).toString('hex')}`

/** Says whether a request is the same as another. In which order its members stand is nothing. */
export const digestOf = (body: Json): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest('hex')
    .slice(0, 32)

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([key, each]): [string, Json] => [key, sorted(each)])
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** The same for the same parts. */
export function derivedId(kind: string, ...parts: readonly string[]): string {
  return `${kind}-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`
}
