/** The body of a request as JSON, and no more of it than a client may send. */
import { FactwireError, type Json, parseJson } from '@factwire/core'
import { Refused } from './refused.ts'

export interface BodyLimits {
  readonly bytes: number
  readonly depth: number
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** @throws Refused, FactwireError `too_large`, `too_deep` or `malformed_json`. */
export async function jsonOf(request: Request, { bytes, depth }: BodyLimits): Promise<Json> {
  // A page of another site can send the other types without being asked.
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) {
    throw new Refused(415, 'unsupported_media_type', 'the body has to be application/json')
  }
  if (Number(request.headers.get('content-length') ?? 0) > bytes) throw tooLarge(bytes)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  try {
    for await (const piece of request.body ?? []) {
      size += piece.length
      if (size > bytes) throw tooLarge(bytes)
      text += decoder.decode(piece, { stream: true })
    }
    text += decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw new FactwireError('malformed_json', 'the body is not UTF-8', { cause: error })
    throw error
  }
  return parseJson(text, { size: bytes, depth })
}

const tooLarge = (bytes: number): FactwireError => new FactwireError('too_large', `a body of more than ${bytes} bytes`)
