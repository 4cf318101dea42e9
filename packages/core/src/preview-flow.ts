/**
 * Whether a fragment only goes on with what the one before it belongs to. Then nothing has to be found out again, and all that its
 * frame has of its own is its text.
 */
import type { Delta, ReasoningDelta, TextDelta, ToolCallDelta } from './event.ts'
import type { Item } from './preview-item.ts'

export type FragmentDelta = TextDelta | ReasoningDelta | ToolCallDelta

export interface Flow {
  /** Something of an item was shown, because of this fragment. */
  shown(fragment: FragmentDelta, item: Item): void
  /**
   * What `delta` adds to the item that `before` has shown something of; it counts as shown. Undefined, and nothing has happened,
   * where it is another item, or not just the next piece of it.
   */
  next(before: Delta, delta: Delta): string | undefined
}

export function createFlow(): Flow {
  let latest: FragmentDelta | undefined
  let item: Item | undefined

  return {
    shown(fragment, of) {
      latest = fragment
      item = of
    },

    next(before, delta) {
      if (before !== latest || !item || !isOfSameItem(latest, delta)) return undefined
      const piece = 'args_delta' in delta ? delta.args_delta : delta.delta
      if (piece === '' || item.parked || item.held !== '' || item.repeated !== undefined) return undefined
      if (delta.offset !== undefined && delta.offset !== item.end) return undefined
      item.end += piece.length
      item.shown.push(piece)
      return piece
    },
  }
}

/**
 * They name the same item: with nothing between them, both belong to it. A call is told by its only field, because types that are read
 * from text are compared letter by letter.
 */
function isOfSameItem(one: FragmentDelta, other: Delta): other is FragmentDelta {
  if ('args_delta' in one) return 'args_delta' in other && other.id === one.id && other.message_id === one.message_id
  return other.type === one.type && other.message_id === one.message_id
}
