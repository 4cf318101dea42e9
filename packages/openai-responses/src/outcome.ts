/** What a tool gave, and what it was called with, as the wire's text. */
import { type ContentBlock, textOf, type ToolCallFact, type ToolResultFact } from '@factwire/core'
import type { CallResult } from './sending.ts'

export const argumentsOf = ({ input, raw_input }: Pick<ToolCallFact, 'input' | 'raw_input'>): string =>
  raw_input ?? JSON.stringify(input)

export function outcomeOf({ content, is_error }: Pick<ToolResultFact, 'content' | 'is_error'>): CallResult {
  const text = textOf(content satisfies readonly ContentBlock[])
  return is_error ? { output: null, error: text } : { output: text, error: null }
}
