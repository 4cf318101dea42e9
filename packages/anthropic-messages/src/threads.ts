/**
 * Threads that the server keeps: a client that wants one sends only what is new of the conversation, and takes it for kept. Here none is:
 * whoever asks for one is told so in the words by which clients go on without.
 */
import { FactwireError, type Json } from '@factwire/core'

const FIELD = 'thread'
const WHY = 'message threads are not kept here'

/** @throws FactwireError where the request wants a thread. */
export function refuseThread(thread: unknown): void {
  if (thread === undefined || thread === null) return
  throw new FactwireError('invalid_value', WHY, { path: FIELD })
}

/** What a client looks for in the error body; undefined for any other refusal. */
export function threadDetails(message: string | undefined): Json | undefined {
  if (message !== `${FIELD}: ${WHY}`) return undefined
  return { error_code: 'thread_unsupported_request', unsupported: [FIELD] }
}
