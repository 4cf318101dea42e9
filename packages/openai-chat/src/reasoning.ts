/** Turns reasoning, under any of the names in use, into pieces to show and blocks to commit. */
import { isObject, type ThinkingBlock } from '@factwire/core'
import { growth, type Piece } from './growth.ts'
import type { ChatReasoningDetail } from './wire.ts'

export interface Reasoning {
  readonly text: string
  add(fragment: string): Piece | undefined
  /** `shown` is the same text from another field: then the details give only what they alone have. */
  details(raw: readonly unknown[], shown: string): Piece | undefined
  /** A signature that names no block belongs to what came last. */
  sign(signature: string): void
  blocks(): ThinkingBlock[]
}

interface Block {
  /** The provider's `index`. */
  key: unknown
  readonly start: number
  signature?: string
  encrypted?: string
}

export function reasoning(): Reasoning {
  const whole = growth()
  const blocks: Block[] = []

  /** The text of blocks stands in the order of arrival, so a block that is not the last takes no more of it. */
  function open(key: unknown): Block {
    const last = blocks.at(-1)
    if (last && (key === undefined || last.key === undefined || last.key === key)) {
      last.key ??= key
      return last
    }
    const block: Block = { key, start: whole.text.length }
    blocks.push(block)
    return block
  }

  function add(fragment: string, key?: unknown): Piece | undefined {
    if (fragment === '') return undefined
    open(key)
    return whole.add(fragment)
  }

  function attach(detail: ChatReasoningDetail): void {
    const { index, signature, data } = detail
    const block = (): Block =>
      (index === undefined ? undefined : blocks.findLast(({ key }) => key === index)) ?? open(index)
    if (typeof signature === 'string' && signature !== '') block().signature = signature
    if (typeof data === 'string' && data !== '') block().encrypted = data
  }

  return {
    get text() {
      return whole.text
    },
    add,
    details(raw, shown) {
      const details: ChatReasoningDetail[] = raw.filter(isObject)
      const own = details.map(textOf).join('')
      let piece: Piece | undefined
      if (shown !== '' && shown !== own) piece = add(shown, details[0]?.index)
      for (const detail of details) {
        if (shown === '' || shown === own) piece = join(piece, add(textOf(detail), detail.index ?? undefined))
        attach(detail)
      }
      return piece
    },
    sign(signature) {
      open(undefined).signature = signature
    },
    blocks: () =>
      blocks.map(({ start, signature, encrypted }, number) => ({
        type: 'thinking',
        text: whole.text.slice(start, blocks[number + 1]?.start),
        ...(signature === undefined ? {} : { signature }),
        ...(encrypted === undefined ? {} : { encrypted }),
      })),
  }
}

function textOf({ text, summary, thinking }: ChatReasoningDetail): string {
  const words = text ?? summary ?? thinking
  return typeof words === 'string' ? words : ''
}

function join(before: Piece | undefined, after: Piece | undefined): Piece | undefined {
  return before && after ? { delta: before.delta + after.delta, offset: before.offset } : (before ?? after)
}
