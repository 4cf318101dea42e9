/** What an answer has said so far, and which of its calls are complete. */
import { type Delta, type Json, isJsonObject, parseJson } from '@factwire/core'

export interface SaidCall {
  /** As the provider's wire has it. */
  readonly id: string
  readonly name: string
  args: string
}

/** Text is joined, never looked at while it grows. */
export interface Said {
  text: string
  thought: string
  readonly calls: Map<string, SaidCall>
}

export const nothingSaid = (): Said => ({ text: '', thought: '', calls: new Map() })

/** Whether it is something that a checkpoint counts. */
export function say(said: Said, delta: Delta): boolean {
  switch (delta.type) {
    case 'text_delta':
      said.text += delta.delta
      return true
    case 'reasoning_delta':
      said.thought += delta.delta
      return false
    case 'tool_call_delta': {
      const call = said.calls.get(delta.id)
      if (call) call.args += delta.args_delta
      else said.calls.set(delta.id, { id: delta.id, name: delta.name, args: delta.args_delta })
      return true
    }
    default:
      return false
  }
}

/**
 * The arguments of a call, if they are all there. Only an object can be told to be complete: a number or a word may go on, and no text
 * at all may be the beginning of anything.
 */
export function completeInput(args: string): Json | undefined {
  try {
    const input = parseJson(args)
    return isJsonObject(input) ? input : undefined
  } catch {
    return undefined
  }
}

export const isComplete = ({ args }: SaidCall): boolean => completeInput(args) !== undefined
