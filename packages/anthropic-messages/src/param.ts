/** Messages of a request as the wire spells them. The lists are the caller's to change, because the types of the SDK want that. */
import type { JsonObject } from '@factwire/core'
import type { RedactedThinkingBlock, TextBlock, ThinkingBlock } from './wire.ts'

/** What a request says of the thread: spread it into the body, beside the model. */
export interface MessagesThread {
  /** Absent where the thread has no words of the system. */
  readonly system?: string
  readonly messages: MessageParam[]
}

export type MessageParam = UserParam | AssistantParam

export interface UserParam {
  readonly role: 'user'
  readonly content: UserBlock[]
}
export interface AssistantParam {
  readonly role: 'assistant'
  readonly content: AssistantBlock[]
}

export type UserBlock = ContentParam | ToolResultParam
export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseParam

export type ContentParam = TextBlock | ImageParam | DocumentParam | SearchResultParam

export interface ToolUseParam {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}
export interface ToolResultParam {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: ContentParam[]
  readonly is_error?: true
}
export interface ImageParam {
  readonly type: 'image'
  readonly source: ImageSource | UrlSource | FileSource
}
export interface DocumentParam {
  readonly type: 'document'
  readonly source: PdfSource | PlainSource | UrlSource | FileSource
  readonly title?: string
  readonly context?: string
}
export interface SearchResultParam {
  readonly type: 'search_result'
  readonly source: string
  readonly title: string
  readonly content: TextBlock[]
  readonly citations?: { readonly enabled: boolean }
}

export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'

export interface ImageSource {
  readonly type: 'base64'
  readonly media_type: ImageType
  readonly data: string
}
export interface PdfSource {
  readonly type: 'base64'
  readonly media_type: 'application/pdf'
  readonly data: string
}
export interface PlainSource {
  readonly type: 'text'
  readonly media_type: 'text/plain'
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
