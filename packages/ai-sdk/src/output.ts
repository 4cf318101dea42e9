/** The result of a call as this wire has it, and back. What it has no place for rides in `providerMetadata.factwire`, which v5 has not. */
import {
  type ContentBlock,
  equalJson,
  type Json,
  type JsonObject,
  none,
  stringify,
  textOf,
  type ToolResultBlock,
} from '@factwire/core'
import { aside, type ProviderMetadata, type Target, type UiFrame } from './wire.ts'

/** What a result says, of a stored block or of a fact. */
export type Result = Pick<ToolResultBlock, 'content' | 'is_error' | 'data' | 'denied' | 'cancelled'>

export type Outcome =
  | { readonly type: 'output'; readonly output: Json; readonly metadata?: JsonObject }
  | { readonly type: 'error'; readonly errorText: string; readonly metadata?: JsonObject }
  /** Somebody said no. */
  | { readonly type: 'denied'; readonly reason?: string }

export function outcomeOf(result: Result, target: Target): Outcome {
  const { content, is_error, data, denied, cancelled } = result
  const text = textOf(content)
  if (denied && target !== 'v5') return { type: 'denied', ...(text === '' ? {} : { reason: text }) }
  if (is_error || denied || cancelled) {
    const more = {
      ...(denied ? { denied } : {}),
      ...(cancelled ? { cancelled } : {}),
      ...(data === undefined ? {} : { data }),
      ...(content.every(isText) ? {} : { content: jsonOf(content) }),
    }
    return { type: 'error', errorText: text, ...withMetadata(more, target) }
  }
  if (data !== undefined) {
    const plain = typeof data !== 'string' && equalJson(jsonOf(content), jsonOf(contentOf(data)))
    return {
      type: 'output',
      output: data,
      ...withMetadata(plain ? {} : { content: jsonOf(content), data: true }, target),
    }
  }
  if (content.every(isText)) return { type: 'output', output: text }
  return { type: 'output', output: jsonOf(content), ...withMetadata({ blocks: true }, target) }
}

const isText = ({ type }: ContentBlock): boolean => type === 'text'

/** Blocks are JSON by their fields, which interfaces do not say. */
const jsonOf = (content: readonly ContentBlock[]): Json => content as unknown as Json

function withMetadata(more: JsonObject, target: Target): { readonly metadata?: JsonObject } {
  return target === 'v5' || Object.keys(more).length === 0 ? {} : { metadata: more }
}

/** What an output says where nothing is said beside it. */
export function contentOf(output: Json): readonly ContentBlock[] {
  if (output === '') return []
  return [{ type: 'text', text: typeof output === 'string' ? output : stringify(output) }]
}

export const factwire = (metadata: JsonObject | undefined): { readonly providerMetadata?: ProviderMetadata } =>
  metadata ? { providerMetadata: { factwire: metadata } } : {}

/**
 * Every answered call counts as executed by somebody else, the client's own too: it knows the result, and must not send it again and
 * again.
 */
export function outputFrames(toolCallId: string, result: Result, target: Target, asked: boolean): readonly UiFrame[] {
  const outcome = outcomeOf(result, target)
  switch (outcome.type) {
    case 'output': {
      const { output, metadata } = outcome
      return frame({ type: 'tool-output-available', toolCallId, output, providerExecuted: true, ...factwire(metadata) })
    }
    case 'error': {
      const { errorText, metadata } = outcome
      return frame({ type: 'tool-output-error', toolCallId, errorText, providerExecuted: true, ...factwire(metadata) })
    }
    case 'denied':
      return deniedFrames(toolCallId, outcome.reason, target, asked)
  }
}

const frame = (given: UiFrame): readonly UiFrame[] => [given]

/** A client of v7 is told why, which needs an approval that it answers; who was never asked was answered for. v6 has no word for it. */
function deniedFrames(
  toolCallId: string,
  reason: string | undefined,
  target: Target,
  asked: boolean,
): readonly UiFrame[] {
  const denied: UiFrame = { type: 'tool-output-denied', toolCallId }
  if (target !== 'v7') {
    const text =
      reason === undefined ? none : [aside('tool-result', { toolCallId, text: reason, is_error: true, denied: true })]
    return [...text, denied]
  }
  const approval = { approvalId: toolCallId }
  return [
    { type: 'tool-approval-request', ...approval, toolCallId, ...(asked ? {} : { isAutomatic: true }) },
    { type: 'tool-approval-response', ...approval, approved: false, ...(reason === undefined ? {} : { reason }) },
    denied,
  ]
}

// ── Back ──

/** The result that an output says; what is said beside it was read from anybody, and counts where it is what it should be. */
export function resultOf(
  tool_use_id: string,
  output: Json,
  metadata: JsonObject | undefined,
  blocks: (value: Json | undefined) => readonly ContentBlock[] | undefined,
): ToolResultBlock {
  const block = { type: 'tool_result', tool_use_id, is_error: false } as const
  const shown = metadata?.['blocks'] === true ? blocks(output) : undefined
  if (shown) return { ...block, content: shown }
  const content = blocks(metadata?.['content'])
  if (content) return { ...block, content, ...(metadata?.['data'] === true ? { data: output } : {}) }
  return { ...block, content: contentOf(output), ...(typeof output === 'string' ? {} : { data: output }) }
}

export function errorOf(
  tool_use_id: string,
  errorText: string,
  metadata: JsonObject | undefined,
  blocks: (value: Json | undefined) => readonly ContentBlock[] | undefined,
): ToolResultBlock {
  const data = metadata?.['data']
  return {
    type: 'tool_result',
    tool_use_id,
    content: blocks(metadata?.['content']) ?? (errorText === '' ? none : [{ type: 'text', text: errorText }]),
    is_error: true,
    ...(data === undefined ? {} : { data }),
    ...(metadata?.['denied'] === true ? { denied: true } : {}),
    ...(metadata?.['cancelled'] === true ? { cancelled: true } : {}),
  }
}
