/** What this package says by `data-*` chunks, read back. An application's own are not looked at, nor is what is not well formed. */
import {
  anyJson,
  boolean,
  type Commit,
  type Delta,
  FactwireError,
  jsonPatch,
  optional,
  parseMessages,
  type Read,
  record,
  string,
  type ToolResultBlock,
} from '@factwire/core'
import { contentOf } from './output.ts'
import type { DataChunk, FactwireData } from './wire.ts'

export type Aside =
  | { readonly type: 'run'; readonly run_id: string; readonly thread_id: string }
  | { readonly type: 'step'; readonly message_id: string }
  /** Why a call was denied, which is told next. */
  | { readonly type: 'reason'; readonly id: string; readonly text: string }
  | { readonly type: 'result'; readonly block: ToolResultBlock }
  | { readonly type: 'commit'; readonly commit: Partial<Commit> }
  | { readonly type: 'delta'; readonly delta: Delta }

type Readers = {
  readonly [Name in keyof FactwireData]: {
    readonly read: Read<FactwireData[Name]>
    to(data: FactwireData[Name]): Aside
  }
}

const activity = { message_id: string, activity_type: string }

const READERS: Readers = {
  run: {
    read: record({ run_id: string, thread_id: string }),
    to: (data) => ({ type: 'run', ...data }),
  },
  step: { read: record({ message_id: string }), to: (data) => ({ type: 'step', ...data }) },
  state: { read: anyJson, to: (snapshot) => ({ type: 'commit', commit: { snapshot } }) },
  'state-delta': { read: jsonPatch, to: (delta) => ({ type: 'delta', delta: { type: 'state_delta', delta } }) },
  activity: {
    read: record<FactwireData['activity']>({ ...activity, content: anyJson, replace: optional(boolean) }),
    to: (data) => ({ type: 'commit', commit: { activities: [data] } }),
  },
  'activity-delta': {
    read: record({ ...activity, patch: jsonPatch }),
    to: (data) => ({ type: 'delta', delta: { type: 'activity_delta', ...data } }),
  },
  'tool-output': {
    read: record({ toolCallId: string, delta: string }),
    to: ({ toolCallId: id, delta }) => ({ type: 'delta', delta: { type: 'tool_output_delta', id, name: '', delta } }),
  },
  'tool-result': {
    read: record<FactwireData['tool-result']>({
      toolCallId: string,
      text: string,
      is_error: boolean,
      denied: optional(boolean),
    }),
    to: ({ toolCallId: tool_use_id, text, is_error, denied }) => {
      if (denied) return { type: 'reason', id: tool_use_id, text }
      return { type: 'result', block: { type: 'tool_result', tool_use_id, content: contentOf(text), is_error } }
    },
  },
  continuation: {
    read: record<FactwireData['continuation']>({
      steered: boolean,
      detail: anyJson,
      messages: optional((value) => parseMessages(value)),
    }),
    to: ({ messages = [], ...continuation }) => ({ type: 'commit', commit: { messages, continuation } }),
  },
}

export function readAside({ type, data }: DataChunk): Aside | undefined {
  const name = type.slice('data-'.length)
  if (!Object.hasOwn(READERS, name)) return undefined
  // Reader and data have the same name, which the compiler cannot follow through an index.
  const { read, to } = READERS[name as 'state']
  try {
    return to(read(data, type))
  } catch (error) {
    if (error instanceof FactwireError) return undefined
    throw error
  }
}
