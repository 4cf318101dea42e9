/** A chunk of unknown origin, of any version: fields that say nothing here are dropped, and types that say nothing become `other`. */
import {
  anyJson,
  boolean,
  isObject,
  json,
  jsonObject,
  lenient,
  oneOf,
  ofProtocol,
  optional,
  own,
  type Read,
  record,
  refuse,
  string,
  variants,
} from '@factwire/core'
import type { DataChunk, FinishReason, OtherChunk, ProviderMetadata, UiChunk } from './wire.ts'

const providerMetadata: Read<ProviderMetadata | undefined> = lenient((value, path) => {
  const providers = jsonObject(value, path)
  return Object.values(providers).every(isObject)
    ? (providers as ProviderMetadata)
    : refuse(path, 'an object for each provider', value)
})

const flag = optional(boolean)
const call = { toolCallId: string, toolName: string, providerExecuted: flag, dynamic: flag }
const result = { toolCallId: string, providerExecuted: flag, providerMetadata, dynamic: flag }

const finishReason: Read<FinishReason> = oneOf(
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'interrupted',
  'other',
  'unknown',
)

type KnownChunk = Exclude<UiChunk, DataChunk | OtherChunk>

const known: Read<KnownChunk> = variants<KnownChunk, 'type'>('type', {
  start: { messageId: optional(string), messageMetadata: optional(anyJson) },
  'start-step': {},
  'finish-step': {},
  'reset-step': {},
  'text-start': { id: string, providerMetadata },
  'reasoning-start': { id: string, providerMetadata },
  'text-delta': { id: string, delta: string, providerMetadata },
  'reasoning-delta': { id: string, delta: string, providerMetadata },
  'text-end': { id: string, providerMetadata },
  'reasoning-end': { id: string, providerMetadata },
  'tool-input-start': call,
  'tool-input-delta': { toolCallId: string, inputTextDelta: string },
  'tool-input-available': { ...call, input: anyJson, providerMetadata },
  'tool-input-error': { ...call, input: anyJson, errorText: string, providerMetadata },
  'tool-approval-request': { approvalId: string, toolCallId: string, isAutomatic: flag },
  'tool-approval-response': { approvalId: string, approved: boolean, reason: optional(string) },
  'tool-output-available': { ...result, output: json, preliminary: flag },
  'tool-output-error': { ...result, errorText: string },
  'tool-output-denied': { toolCallId: string },
  'message-metadata': { messageMetadata: anyJson },
  error: { errorText: string },
  abort: { reason: optional(string) },
  // One of another version is no reason to lose the run.
  finish: { finishReason: lenient(finishReason), messageMetadata: optional(anyJson) },
})

const dataFields = record<Omit<DataChunk, 'type'>>({ id: optional(string), data: anyJson, transient: flag })

const KNOWN: ReadonlySet<unknown> = new Set<KnownChunk['type']>([
  'start',
  'start-step',
  'finish-step',
  'reset-step',
  'text-start',
  'reasoning-start',
  'text-delta',
  'reasoning-delta',
  'text-end',
  'reasoning-end',
  'tool-input-start',
  'tool-input-delta',
  'tool-input-available',
  'tool-input-error',
  'tool-approval-request',
  'tool-approval-response',
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
  'message-metadata',
  'error',
  'abort',
  'finish',
])

/** @throws FactwireError `invalid_value` when it is no chunk. */
export const parseChunk: Read<UiChunk> = ofProtocol('ai-sdk', (value, path) => {
  if (!isObject(value)) return refuse(path, 'an object', value)
  const type = string(own(value, 'type'), 'type')
  if (KNOWN.has(type)) return known(value, path)
  // The type begins so, which the compiler does not see.
  if (type.startsWith('data-')) return { ...dataFields(value, path), type: type as DataChunk['type'] }
  return { type: 'other', name: type }
})
