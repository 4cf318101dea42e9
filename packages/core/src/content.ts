/** What messages are made of, and the usage of the models that made them. */
import type { Json } from './json.ts'

export interface Base64Source {
  readonly type: 'base64'
  readonly media_type: string
  readonly data: string
}
export interface UrlSource {
  readonly type: 'url'
  readonly url: string
}
export interface FileSource {
  readonly type: 'file'
  readonly file_id: string
}
/** Plain text as a document. */
export interface TextSource {
  readonly type: 'text'
  readonly media_type: string
  readonly data: string
}

export interface TextBlock {
  readonly type: 'text'
  readonly text: string
}
export interface ImageBlock {
  readonly type: 'image'
  readonly source: Base64Source | UrlSource | FileSource
}
export interface DocumentBlock {
  readonly type: 'document'
  readonly source: Base64Source | TextSource | UrlSource | FileSource
  readonly title?: string
  readonly context?: string
}
export interface SearchResultBlock {
  readonly type: 'search_result'
  /** Where it was found, usually a URL. */
  readonly source: string
  readonly title: string
  readonly content: readonly TextBlock[]
  readonly citations?: { readonly enabled: boolean }
}
/** Content that was withheld. */
export interface RedactedBlock {
  readonly type: 'redacted'
}
/** A call as the model asked for it. `raw_input` is its text where that is not `JSON.stringify(input)`. */
export interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly raw_input?: string
}
/** What became of a call. `data`, `denied` and `cancelled` are Factwire's additions. */
export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: readonly ContentBlock[]
  readonly is_error: boolean
  /** The structured value behind `content`. */
  readonly data?: Json
  /** Somebody said no. */
  readonly denied?: boolean
  /** The call was given up before it had a result. */
  readonly cancelled?: boolean
}
/** `signature` and `encrypted` are the provider's own and are sent back to it unread. */
export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly text: string
  readonly signature?: string
  readonly encrypted?: string
}

export type ContentBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | SearchResultBlock
  | RedactedBlock
  | ToolUseBlock
  | ToolResultBlock
  | ThinkingBlock

/** Counts of tokens. Prompt includes cached, completion includes thinking. Every count may be unknown. */
export interface TokenUsage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly total_tokens?: number
  readonly cache_read_tokens?: number
  readonly cache_creation_tokens?: number
  readonly thinking_tokens?: number
}

/** The text of blocks: text, and the text inside tool results. Everything else says nothing here. */
export function textOf(content: readonly ContentBlock[]): string {
  let text = ''
  for (const block of content) {
    if (block.type === 'text') text += block.text
    else if (block.type === 'tool_result') text += textOf(block.content)
  }
  return text
}
