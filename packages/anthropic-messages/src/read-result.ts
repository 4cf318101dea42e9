/**
 * What came of a call that the provider ran: a block whose type says of which of its tools.
 *
 * The content is what a person reads of it. The block itself stands beside it as `data`, because the provider wants it back as it was.
 */
import {
  anyJson,
  type ContentBlock,
  FactwireError,
  isObject,
  type Json,
  type SearchResultBlock,
  type ToolResultBlock,
} from '@factwire/core'
import type { ReadBlock } from './wire.ts'

const MCP_RESULT = 'mcp_tool_result'

export const isResultType = (type: string): boolean => type.endsWith('_tool_result')

export function resultBlock(callId: string, block: ReadBlock): ToolResultBlock {
  const is_error = block.is_error === true || isErrorBody(block.content)
  const result: ToolResultBlock = {
    type: 'tool_result',
    tool_use_id: callId,
    content: contentOf(block.content),
    is_error,
  }
  const data = block.type === MCP_RESULT ? undefined : dataOf(block)
  return data === undefined ? result : { ...result, data }
}

/** `web_search_tool_result_error` and its like. */
const isErrorBody = (content: unknown): boolean =>
  isObject(content) && typeof content['type'] === 'string' && content['type'].endsWith('_error')

function dataOf({ type, content }: ReadBlock): Json | undefined {
  try {
    return anyJson({ type, content }, 'content')
  } catch (error) {
    if (error instanceof FactwireError) return undefined
    throw error
  }
}

function contentOf(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return textBlocks(content)
  if (Array.isArray(content)) return content.flatMap(contentOf)
  if (!isObject(content)) return []
  switch (content['type']) {
    case 'text':
      return textBlocks(content['text'])
    case 'web_search_result':
      return [searchResult(content)]
    case 'web_fetch_result':
      return contentOf(content['content'])
    case 'document':
      return documentBlocks(content)
    default:
      // What code printed, and whatever else has words of its own.
      return [content['stdout'], content['stderr'], content['error_code']].flatMap(textBlocks)
  }
}

const textBlocks = (text: unknown): ContentBlock[] =>
  typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []

type Fields = { readonly [key: string]: unknown }

function searchResult({ url, title }: Fields): SearchResultBlock {
  return { type: 'search_result', source: wordOf(url), title: wordOf(title), content: [] }
}

function documentBlocks({ source, title }: Fields): ContentBlock[] {
  if (!isObject(source)) return []
  const named = typeof title === 'string' ? { title } : {}
  const media_type = wordOf(source['media_type'])
  const data = wordOf(source['data'])
  switch (source['type']) {
    case 'text':
      return [{ type: 'document', source: { type: 'text', media_type, data }, ...named }]
    case 'base64':
      return [{ type: 'document', source: { type: 'base64', media_type, data }, ...named }]
    default:
      return []
  }
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '')
