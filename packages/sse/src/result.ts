/**
 * What became of a call, from either event that says so: the older `ToolResult`, or the free value of a resumed call.
 */
import {
  type ContentBlock,
  type Json,
  type JsonObject,
  type Message,
  type ToolResult,
  isJsonObject,
  textOf,
} from '@factwire/core'
import { given } from './given.ts'
import { blocksOf } from './parse-messages.ts'

export interface CallResult {
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  /** The value behind `content`, where that is more than the text. */
  readonly data?: Json
  readonly denied?: true
  readonly cancelled?: true
}

/**
 * The text is `message` if set, else the data: a string as it is, anything else as JSON. `metadata.content` says it in
 * blocks.
 */
export function resultOf({ status, data, message, metadata = {} }: ToolResult): CallResult {
  const blocks = metadata['content']
  const explicit = Array.isArray(blocks) ? blocksOf(blocks) : undefined
  return {
    content: explicit ?? textBlocks(message ?? textOfData(data)),
    isError: status === 'error',
    ...given('data', dataBeside(data, explicit ? textOf(explicit) : message)),
    ...marks(metadata),
  }
}

/** A string is what the text was made of, unless another text stands beside it. */
function dataBeside(data: Json, text: string | null): Json | undefined {
  if (data === null) return undefined
  if (typeof data !== 'string') return data
  return text === null || text === data ? undefined : data
}

/** `{error: string}` failed, `{approved: false}` was denied, `{data, metadata}` is a success that had metadata. */
export function resumedResult(result: Json): CallResult {
  if (!isJsonObject(result)) return success(result)
  const error = result['error']
  if (typeof error === 'string') return { ...refusal(result, error, ['error']), isError: true }
  if (result['approved'] === false) {
    const reason = result['reason'] ?? result['message']
    const said = typeof reason === 'string' ? reason : undefined
    return { ...refusal(result, said, ['approved', 'reason', 'message']), isError: true, denied: true }
  }
  const metadata = result['metadata']
  if (Object.hasOwn(result, 'data') && isJsonObject(metadata) && Object.keys(result).length === 2) {
    return resultOf({ tool_name: '', status: 'success', data: result['data'] ?? null, message: null, metadata })
  }
  return success(result)
}

function success(data: Json): CallResult {
  return resultOf({ tool_name: '', status: 'success', data, message: null })
}

/** Whatever the refusal holds beyond its known fields is kept. */
function refusal(result: JsonObject, text: string | undefined, known: readonly string[]): Omit<CallResult, 'isError'> {
  const metadata = isJsonObject(result['metadata']) ? result['metadata'] : {}
  const blocks = metadata['content']
  const rest = Object.keys(result).filter((key) => !known.includes(key) && key !== 'data' && key !== 'metadata')
  const data = rest.length > 0 ? result : (result['data'] ?? undefined)
  return {
    content: Array.isArray(blocks) ? blocksOf(blocks) : textBlocks(text),
    ...given('data', data),
    ...marks(metadata),
  }
}

function marks(metadata: JsonObject): { readonly denied?: true; readonly cancelled?: true } {
  return { ...(metadata['rejected'] ? { denied: true } : {}), ...(metadata['cancelled'] ? { cancelled: true } : {}) }
}

/** An empty text is a text; nothing is none. */
function textBlocks(text: string | undefined): readonly ContentBlock[] {
  return text === undefined ? [] : [{ type: 'text', text }]
}

function textOfData(data: Json): string | undefined {
  if (data === null) return undefined
  return typeof data === 'string' ? data : JSON.stringify(data)
}

/** Without an id of its own it has one from its call. */
export function resultMessage(callId: string, messageId: string, result: CallResult): Message {
  const { content, isError, ...rest } = result
  return {
    id: messageId || `tool-${callId}`,
    role: 'tool',
    content: [{ type: 'tool_result', tool_use_id: callId, content, is_error: isError, ...rest }],
  }
}
