/** Content blocks that somebody sent beside a result. They count only where they are blocks. */
import { type ContentBlock, FactwireError, type Json, parseMessage } from '@factwire/core'

export function blocksIn(value: Json | undefined): readonly ContentBlock[] | undefined {
  if (!Array.isArray(value)) return undefined
  try {
    return parseMessage({ id: 'result', role: 'tool', content: value }).content
  } catch (error) {
    if (error instanceof FactwireError) return undefined
    throw error
  }
}
