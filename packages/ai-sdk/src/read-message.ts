/** UI messages of unknown origin, of any version: a role, part or field that says nothing here is dropped. */
import {
  anyJson,
  arrayOf,
  boolean,
  field,
  isObject,
  knownOf,
  lenient,
  nonEmptyString,
  oneOf,
  optional,
  optionalJson,
  otherwise,
  own,
  type Read,
  record,
  string,
} from '@factwire/core'
import type { Approval, FilePart, ReasoningPart, StepStartPart, TextPart, ToolPart, ToolState } from './ui-message.ts'
import type { ProviderMetadata } from './wire.ts'

/** A call as a client has it, under one form whether its tool is known to the page or not. */
export interface CallPart extends Omit<ToolPart, 'type'> {
  readonly type: 'call'
  readonly toolName: string
}

export type ReadPart = TextPart | ReasoningPart | FilePart | StepStartPart | CallPart

export interface ReadMessage {
  readonly id: string
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly ReadPart[]
}

const toolState: Read<ToolState> = oneOf(
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
)

const approval = record<Approval>({ id: string, approved: lenient(boolean), reason: lenient(string) })

const providerMetadata: Read<ProviderMetadata | undefined> = lenient((value) =>
  isObject(value)
    ? (Object.fromEntries(Object.entries(value).filter(([, part]) => isObject(part))) as ProviderMetadata)
    : {},
)

const callFields = record<Omit<CallPart, 'type' | 'toolName'>>({
  toolCallId: nonEmptyString,
  state: toolState,
  input: optionalJson,
  rawInput: optionalJson,
  output: optionalJson,
  errorText: optional(string),
  providerExecuted: lenient(boolean),
  callProviderMetadata: providerMetadata,
  resultProviderMetadata: providerMetadata,
  approval: lenient(approval),
})

const text = record<Omit<TextPart, 'type'>>({ text: string, state: lenient(oneOf('streaming', 'done')) })
const file = record<Omit<FilePart, 'type'>>({
  mediaType: otherwise(string, 'application/octet-stream'),
  filename: optional(string),
  url: string,
})

const part: Read<ReadPart | undefined> = (value, path) => {
  const type = isObject(value) ? own(value, 'type') : undefined
  if (!isObject(value) || typeof type !== 'string') return undefined
  switch (type) {
    case 'text':
      return { type, ...text(value, path) }
    case 'reasoning':
      return { type, ...text(value, path) }
    case 'file':
      return { type, ...file(value, path) }
    case 'step-start':
      return { type }
    case 'dynamic-tool':
      return { type: 'call', toolName: field(value, 'toolName', string, path), ...callFields(value, path) }
    default:
      if (!type.startsWith('tool-')) return undefined
      return { type: 'call', toolName: type.slice('tool-'.length), ...callFields(value, path) }
  }
}

const message: Read<ReadMessage | undefined> = (value, path) => {
  if (!isObject(value) || !ROLES.has(own(value, 'role'))) return undefined
  return readMessage(value, path)
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant'])

const readMessage = record<ReadMessage>({
  id: string,
  role: oneOf('system', 'user', 'assistant'),
  parts: otherwise(knownOf(part), []),
})

export const messages: Read<readonly ReadMessage[]> = knownOf(message)

/** Tools as a page may bring them: a list, or by their names. */
export interface BroughtTool {
  readonly name: string
  readonly description?: string
  readonly parameters?: ReturnType<typeof anyJson>
}

const brought = record<Omit<BroughtTool, 'name'>>({ description: optional(string), parameters: optional(anyJson) })
const listed = arrayOf(
  record<BroughtTool>({ name: nonEmptyString, description: optional(string), parameters: optional(anyJson) }),
)

export const tools: Read<readonly BroughtTool[]> = (value, path) => {
  if (value === undefined || value === null) return []
  if (!isObject(value)) return listed(value, path)
  return Object.entries(value).map(([name, given]) => ({ name, ...brought(given, `${path}.${name}`) }))
}
