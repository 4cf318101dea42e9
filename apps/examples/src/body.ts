/** The body of a request as JSON, and no more of it than a client may send. */
import { FactwireError, type Json, parseJson } from '@factwire/core'

const LARGEST = 1024 * 1024

/** @throws FactwireError `too_large`, `too_deep` or `malformed_json`. */
export async function jsonIn(body: AsyncIterable<Uint8Array> | null): Promise<Json> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > LARGEST) throw new FactwireError('too_large', `a body of more than ${LARGEST} units`)
  }
  return parseJson(text + decoder.decode())
}
