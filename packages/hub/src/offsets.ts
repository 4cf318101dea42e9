/** Where each fragment of a run starts: what a producer leaves out is counted, so that readers notice what they missed. */
import type { Commit, Delta } from '@factwire/core'

export interface Offsets {
  /**
   * The delta with its offset.
   *
   * @throws TypeError for a fragment of a message that is not named.
   */
  placed(delta: Delta): Delta
  /** Fragments of these messages will not come any more. */
  committed(commit: Commit): void
}

export function offsets(): Offsets {
  /** By message: how long each of its texts is. */
  const messages = new Map<string, Map<string, number>>()

  function next(messageId: string, item: string, offset: number | undefined, length: number): number {
    const items = messages.get(messageId) ?? new Map<string, number>()
    messages.set(messageId, items)
    const start = offset ?? items.get(item) ?? 0
    items.set(item, start + length)
    return start
  }

  return {
    placed(delta) {
      switch (delta.type) {
        case 'text_delta':
        case 'reasoning_delta':
          return { ...delta, offset: next(named(delta), delta.type, delta.offset, delta.delta.length) }
        case 'tool_call_delta':
          return {
            ...delta,
            offset: next(named(delta), JSON.stringify(delta.id), delta.offset, delta.args_delta.length),
          }
        default:
          return delta
      }
    },
    committed({ messages: told, state }) {
      if (state.type === 'running') for (const { id } of told) messages.delete(id)
      else messages.clear()
    },
  }
}

function named({ type, message_id }: Delta & { readonly message_id?: string }): string {
  if (message_id !== undefined) return message_id
  throw new TypeError(`a ${type} names its message: use runWriter, or set message_id to the id that will be committed`)
}
