/** A body read to its end. */
import type { Take } from './contender.ts'

export async function drain(body: ReadableStream<Uint8Array> | null, take: Take): Promise<void> {
  if (!body) throw new Error('a response without a body')
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) take(next.value)
}
