/** What a tool gave, as the wire's text. */
import { type ContentBlock, textOf, type ToolResultFact } from '@factwire/core'
import type { CallResult } from './sending.ts'

export function outcomeOf({ content, is_error }: Pick<ToolResultFact, 'content' | 'is_error'>): CallResult {
  const text = textOf(content satisfies readonly ContentBlock[])
  return is_error ? { output: null, error: text } : { output: text, error: null }
}
