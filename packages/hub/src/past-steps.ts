/**
 * What was shown before each commit of a run, for readers who fall behind: the transcoder of such a one has to stand where the shared one
 * stood, and how a wire numbers its parts depends on what was shown, and in which order.
 *
 * Of text that was committed as it was shown only the place in its message is kept.
 */
import type { Message } from '@factwire/core'
import { committedText, textIn, withText } from './fragment.ts'
import type { Limits } from './limits.ts'
import { type Piece, unitsOf } from './open-step.ts'
import type { Held } from './setting.ts'
import type { Step } from './store.ts'

export interface PastPiece extends Readonly<Piece> {
  /** The commit after it does not tell of it. */
  readonly stays: boolean
}

export interface PastSteps {
  /** What was shown since the commit before, and what this commit leaves open. */
  add(step: Step, shown: readonly Piece[], left: readonly Piece[]): void
  /** What was shown right before the commit whose first fact has that number. */
  before(seq: number): readonly PastPiece[]
  /** Whether there is anything among that which the commit itself does not tell: something that it leaves open, or that was taken back. */
  tellsMore(seq: number): boolean
  /** Nothing is forgotten that was shown after the fact with that number, and before a commit. */
  remembers(after: number): boolean
  /** Lets go all that it keeps. */
  dispose(): void
}

interface Kept extends PastPiece {
  /** Its text is that of this message, from the offset on. */
  readonly told: { readonly message: Message; readonly length: number } | undefined
}

/** What is kept over all runs is counted in `held`. */
export function pastSteps(
  { pastUnits, totalPastUnits }: Pick<Limits, 'pastUnits' | 'totalPastUnits'>,
  held: Pick<Held, 'pastUnits'>,
): PastSteps {
  /** By the number of the first fact of each commit, the oldest first. */
  const commits = new Map<number, readonly Kept[]>()
  /** The first fact of the last commit that is forgotten. */
  let forgotten = -1
  let units = 0
  /** Before a commit that has a fact. */
  let waiting: Kept[] = []

  function count(more: number): void {
    units += more
    held.pastUnits += more
  }

  function forget(): void {
    for (const [first, kept] of commits) {
      if (units <= pastUnits && held.pastUnits <= totalPastUnits) return
      forgotten = first
      commits.delete(first)
      count(-sizeOf(kept))
    }
  }

  const keptBefore = (seq: number): readonly Kept[] => commits.get(seq) ?? []

  return {
    add({ commit, facts }, shown, left) {
      const texts = lookup(commit.messages)
      const stays = new Set(left)
      for (const piece of shown) waiting.push(keep(piece, stays.has(piece), texts))
      const [first] = facts
      if (!first || waiting.length === 0) return
      commits.set(first.seq, waiting)
      count(sizeOf(waiting))
      waiting = []
      forget()
    },
    before(seq) {
      const texts = lookup([])
      return keptBefore(seq).map((piece) => restored(piece, texts))
    },
    tellsMore: (seq) => keptBefore(seq).some(({ stays, delta }) => stays || TAKES_BACK.has(delta.type)),
    remembers: (after) => forgotten <= after,
    dispose: () => count(-units),
  }
}

const TAKES_BACK: ReadonlySet<string> = new Set(['stream_reset', 'tool_call_cancelled'])

/** What a piece takes beside its text. */
const PIECE = 64

const sizeOf = (kept: readonly Kept[]): number => kept.reduce((sum, { delta }) => sum + PIECE + unitsOf(delta), 0)

/** Texts of messages, each put together once. */
interface Texts {
  readonly messages: readonly Message[]
  of(message: Message, delta: Piece['delta']): string | undefined
}

function lookup(messages: readonly Message[]): Texts {
  const known = new Map<Message, Map<string, string | undefined>>()
  return {
    messages,
    of(message, delta) {
      const texts = known.get(message) ?? new Map<string, string | undefined>()
      known.set(message, texts)
      const key = delta.type === 'tool_call_delta' ? `call ${delta.id}` : delta.type
      if (!texts.has(key)) texts.set(key, committedText(message, delta))
      return texts.get(key)
    },
  }
}

function keep({ from, to, delta }: Piece, stays: boolean, texts: Texts): Kept {
  const piece = { from, to, stays }
  if (stays || !('message_id' in delta) || !('offset' in delta) || delta.offset === undefined) {
    return { ...piece, delta: stays ? delta : spared(delta), told: undefined }
  }
  const text = textIn(delta) ?? ''
  const message = texts.messages.find(({ id, role }) => role === 'assistant' && id === delta.message_id)
  const isTold = message && texts.of(message, delta)?.startsWith(text, delta.offset)
  if (!isTold) return { ...piece, delta, told: undefined }
  return { ...piece, delta: withText(delta, ''), told: { message, length: text.length } }
}

/** Of what a tool has printed its client is told by the result: only that it has printed something counts. */
function spared(delta: Piece['delta']): Piece['delta'] {
  return delta.type === 'tool_output_delta' ? withText(delta, delta.delta.slice(0, 1)) : delta
}

function restored({ from, to, delta, stays, told }: Kept, texts: Texts): PastPiece {
  if (!told || !('offset' in delta)) return { from, to, delta, stays }
  const { offset = 0 } = delta
  const text = texts.of(told.message, delta)?.slice(offset, offset + told.length) ?? ''
  return { from, to, delta: withText(delta, text), stays }
}
