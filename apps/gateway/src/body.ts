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
      text += decoded(decoder, piece)
    }
  } catch (error) {
    if (error instanceof FactwireError) throw error
    // It is the connection that failed, and with it whoever asked.
    throw new Refused(400, 'incomplete_body', 'the body broke off')
  }
  return parseJson(text + decoded(decoder), { size: bytes, depth })
}

function decoded(decoder: TextDecoder, piece?: Uint8Array): string {
  try {
    return piece ? decoder.decode(piece, { stream: true }) : decoder.decode()
  } catch (error) {
    throw new FactwireError('malformed_json', 'the body is not UTF-8', { cause: error })
  }
}

const tooLarge = (bytes: number): FactwireError => new FactwireError('too_large', `a body of more than ${bytes} bytes`)
