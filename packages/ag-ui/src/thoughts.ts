/** The reasoning of one message, in the order in which it came: one part for each reasoning message, or run of fragments of it. */
import type { ThinkingBlock } from '@factwire/core'

/** What a provider wants back with a thought, unread. */
export interface Seal {
  readonly signature?: string | undefined
  readonly encrypted?: string | undefined
}

interface Thought extends Seal {
  readonly id: string
  text: string
  open: boolean
  signature: string | undefined
  encrypted: string | undefined
}

export interface Thoughts {
  start(id: string): void
  /** Where the fragment starts in all of the reasoning. */
  add(id: string, delta: string): number
  end(id: string): void
  /** False when it is not here. */
  seal(id: string, seal: Seal): boolean
  /** Sets the whole text of one. False when it is not here, or has that text. */
  correct(id: string, text: string): boolean
  /** Goes on with what another message turned out not to have. */
  take(others: Thoughts): string
  has(id: string): boolean
  open(): boolean
  empty(): boolean
  parts(): readonly Readonly<Thought>[]
  text(): string
  blocks(): readonly ThinkingBlock[]
}

export function createThoughts(): Thoughts {
  let parts: Thought[] = []
  let length = 0

  function start(id: string): Thought {
    const last = parts.at(-1)
    const thought = last?.id === id ? last : { id, text: '', open: true, signature: undefined, encrypted: undefined }
    if (thought !== last) parts.push(thought)
    thought.open = true
    return thought
  }

  const text = (): string => parts.map((part) => part.text).join('')

  return {
    start,
    add(id, delta) {
      const last = parts.at(-1)
      const thought = last?.id === id ? last : start(id)
      const offset = length
      thought.text += delta
      length += delta.length
      return offset
    },
    end(id) {
      for (const part of parts) if (part.id === id) part.open = false
    },
    seal(id, { signature, encrypted }) {
      const thought = parts.findLast((part) => part.id === id)
      if (!thought) return false
      thought.signature = signature ?? thought.signature
      thought.encrypted = encrypted ?? thought.encrypted
      return true
    },
    correct(id, whole) {
      const own = parts.filter((part) => part.id === id)
      const [first] = own
      if (!first || own.map((part) => part.text).join('') === whole) return false
      first.text = whole
      // A thought that is taken back stands in a snapshot as an empty one.
      parts = parts.filter((part) => part.id !== id || (part === first && whole !== ''))
      length = text().length
      return true
    },
    take(others) {
      parts.push(...others.parts().map((part) => ({ ...part })))
      length += others.text().length
      return others.text()
    },
    has: (id) => parts.some((part) => part.id === id),
    open: () => parts.some((part) => part.open),
    empty: () => parts.length === 0,
    parts: () => parts,
    text,
    blocks() {
      // The bracket of a span has nothing in it, which says something only where it stands alone.
      const full = parts.filter(
        (part) => part.text !== '' || part.signature !== undefined || part.encrypted !== undefined,
      )
      return (full.length > 0 ? full : parts.slice(0, 1)).map(blockOf)
    },
  }
}

function blockOf({ text, signature, encrypted }: Thought): ThinkingBlock {
  return {
    type: 'thinking',
    text,
    ...(signature === undefined ? {} : { signature }),
    ...(encrypted === undefined ? {} : { encrypted }),
  }
}
