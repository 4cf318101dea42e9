/** A call, once its arguments are whole; who runs it decides what a client does with it. */
import { type CallItem, type Disposition, none, type ToolUseBlock } from '@factwire/core'
import type { Target, UiFrame } from './wire.ts'

export type Called = Pick<ToolUseBlock, 'name' | 'input' | 'raw_input'>

export function callFrames({ wireId, fact }: CallItem, target: Target): readonly UiFrame[] {
  return fact ? toldCall(wireId, fact, fact.disposition, target) : none
}

export function toldCall(
  toolCallId: string,
  called: Called,
  disposition: Disposition,
  target: Target,
): readonly UiFrame[] {
  const { name: toolName, input } = called
  if (isUnreadable(called)) {
    const call = { toolCallId, toolName, input: called.raw_input ?? null, providerExecuted: true }
    return [{ type: 'tool-input-error', ...call, errorText: UNREADABLE }]
  }
  const call: UiFrame = { type: 'tool-input-available', toolCallId, toolName, input, ...flagOf(disposition, target) }
  return disposition === 'pending_builtin' ? [call, ...approvalFrames(toolCallId, target)] : [call]
}

const UNREADABLE = 'The arguments are no JSON.'

/** Text that does not parse is kept, and nobody runs it. */
export function isUnreadable({ input, raw_input }: Pick<Called, 'input' | 'raw_input'>): boolean {
  if (input !== null || raw_input === undefined) return false
  try {
    JSON.parse(raw_input)
    return false
  } catch {
    return true
  }
}

/** The approval of a call has the call's own id, so that whoever has only the thread knows it as well. v5 has none. */
export function approvalFrames(toolCallId: string, target: Target): readonly UiFrame[] {
  return target === 'v5' ? none : [{ type: 'tool-approval-request', approvalId: toolCallId, toolCallId }]
}

/** The mark says that no message made it: it is not in the thread. */
export function givenUpFrames({ wireId: toolCallId, name: toolName }: CallItem, errorText: string): readonly UiFrame[] {
  const providerMetadata = { factwire: { given_up: true } }
  return [
    { type: 'tool-input-available', toolCallId, toolName, input: null, providerExecuted: true, providerMetadata },
    { type: 'tool-output-error', toolCallId, errorText, providerExecuted: true },
  ]
}

/** Not the client's to run. A client of v5 answers what asks for approval as if it ran it. */
export function flagOf(disposition: Disposition | undefined, target: Target): { readonly providerExecuted?: true } {
  if (disposition === undefined || disposition === 'pending_client') return {}
  return disposition === 'pending_builtin' && target === 'v5' ? {} : { providerExecuted: true }
}
