/**
 * The deltas that no commit has told yet, merged: for whoever joins, and for whoever missed some.
 *
 * Neighbouring fragments of one text become one piece. A reader remembers how far into the pieces it has come.
 */
import type { Commit, ContentBlock, Delta } from '@factwire/core'
import { headOf, textIn } from './fragment.ts'
import type { Opened, Step } from './store.ts'

/** `from` and `to` are the numbers of its first and last delta. */
export interface Piece {
  readonly from: number
  to: number
  /** Grows while fragments of the same text follow. */
  delta: Delta
}

/** How far somebody has come: so many pieces, and of the last of them, which may grow, so many units. */
export interface Reached {
  readonly pieces: readonly Piece[]
  readonly count: number
  readonly units: number
}

export interface OpenStep {
  readonly pieces: readonly Piece[]
  /** Those that came since the last commit. What it has left open does not grow any more. */
  readonly recent: readonly Piece[]
  /** Units of text in it. */
  readonly units: number
  add(seq: number, delta: Delta): void
  /** Everything so far. */
  reached(): Reached
  /** What is left of it after a commit. */
  after(commit: Commit): OpenStep
}

export function openStep(kept: readonly Piece[] = []): OpenStep {
  const pieces: Piece[] = [...kept]
  let units = kept.reduce((sum, { delta }) => sum + unitsOf(delta), 0)

  return {
    pieces,
    get recent() {
      return pieces.slice(kept.length)
    },
    get units() {
      return units
    },
    add(seq, delta) {
      units += unitsOf(delta)
      const last = pieces.length > kept.length ? pieces.at(-1) : undefined
      const merged = last && merge(last.delta, delta)
      if (merged) {
        last.delta = merged
        last.to = seq
      } else pieces.push({ from: seq, to: seq, delta })
    },
    reached() {
      const last = pieces.at(-1)
      return { pieces, count: pieces.length, units: last ? lengthOf(last.delta) : 0 }
    },
    after: (commit) => openStep(untold(pieces, commit)),
  }
}

/** The piece that was growing. */
export const lastReached = ({ pieces, count }: Reached): Piece | undefined =>
  count > 0 ? pieces[count - 1] : undefined

/** What was reached of what came after a number, as deltas. */
export function deltasUpTo(reached: Reached, after: number): Delta[] {
  const last = lastReached(reached)
  return reached.pieces
    .slice(0, reached.count)
    .filter(({ from }) => from > after)
    .map((piece) => (piece === last ? headOf(piece.delta, reached.units) : piece.delta))
}

/** The messages that are written, each where it began. */
export function openedIn(pieces: readonly Piece[]): readonly Opened[] {
  const begun = new Map<string, Opened>()
  for (const { from, delta } of pieces) {
    const opened = stepOpenedBy(from, delta)
    if (opened && !begun.has(opened.message)) begun.set(opened.message, opened)
  }
  return [...begun.values()]
}

/**
 * Of the messages that are written, in the order in which they began, those that a commit leaves open: the ones behind the last that it
 * tells, because what stands before that will not come any more. Nor will any where one is told that was not written.
 */
export function leftBy(begun: readonly Opened[], { messages, state }: Commit): readonly Opened[] {
  if (state.type !== 'running') return []
  const told = new Set(messages.filter(({ role }) => role === 'assistant').map(({ id }) => id))
  if (told.size === 0) return begun
  const last = begun.findLastIndex(({ message }) => told.has(message))
  return last < 0 ? [] : begun.slice(last + 1)
}

/** What a step says itself of a message that its commit leaves open: also where nobody here has seen any of it. */
export const leftByStep = ({ opened, commit }: Step): Opened | undefined =>
  opened ? leftBy([opened], commit)[0] : undefined

/** The step that a reader begins with this delta, if it is the first of its message. */
export function stepOpenedBy(seq: number, delta: Delta): Opened | undefined {
  switch (delta.type) {
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_call_delta':
    case 'step_started':
      return { seq, message: delta.message_id ?? '' }
    default:
      return undefined
  }
}

/**
 * Whether a client may still be shown some of this when the commit has come: a message that it does not tell of, and nobody has taken back.
 * Then what clients see depends on when they came.
 */
export function strays(pieces: readonly Piece[], left: readonly Piece[], { commit, facts }: Step): boolean {
  const told = new Set(facts.length > 0 ? commit.messages.map(({ id }) => id) : [])
  const kept = new Set(left)
  const since = pieces.slice(pieces.findLastIndex(({ delta }) => delta.type === 'stream_reset') + 1)
  return since.some((piece) => {
    const opened = stepOpenedBy(piece.to, piece.delta)
    return opened !== undefined && !told.has(opened.message) && !kept.has(piece)
  })
}

function merge(earlier: Delta, later: Delta): Delta | undefined {
  switch (later.type) {
    case 'text_delta':
    case 'reasoning_delta':
      if (earlier.type !== later.type || earlier.message_id !== later.message_id) return undefined
      return follows(earlier, later.offset, earlier.delta.length)
        ? { ...earlier, delta: earlier.delta + later.delta }
        : undefined
    case 'tool_call_delta':
      if (earlier.type !== 'tool_call_delta' || earlier.id !== later.id || earlier.message_id !== later.message_id) {
        return undefined
      }
      if (earlier.disposition !== later.disposition || earlier.name !== later.name) return undefined
      return follows(earlier, later.offset, earlier.args_delta.length)
        ? { ...earlier, args_delta: earlier.args_delta + later.args_delta }
        : undefined
    case 'tool_output_delta':
      if (earlier.type !== 'tool_output_delta' || earlier.id !== later.id) return undefined
      return { ...earlier, delta: earlier.delta + later.delta }
    default:
      return undefined
  }
}

const follows = (earlier: { readonly offset?: number }, offset: number | undefined, length: number): boolean =>
  earlier.offset !== undefined && offset === earlier.offset + length

/** Units of text that a delta holds: patches count as what they are on a wire, roughly. */
export function unitsOf(delta: Delta): number {
  switch (delta.type) {
    case 'state_delta':
      return JSON.stringify(delta.delta).length
    case 'activity_delta':
      return JSON.stringify(delta.patch).length
    default:
      return textIn(delta)?.length ?? 0
  }
}

/** The length by which a piece may be taken in parts; 1 for one that is taken whole. */
const lengthOf = (delta: Delta): number => textIn(delta)?.length ?? 1

/** What a commit leaves open. One in mid-step may leave a document to a later one, and what a tool prints to its result. */
function untold(pieces: readonly Piece[], commit: Commit): readonly Piece[] {
  const { snapshot, activities = [], messages, state } = commit
  const left = new Set(leftBy(openedIn(pieces), commit).map(({ message }) => message))
  const goesOn = state.type === 'running' && messages.every(({ role }) => role !== 'assistant')
  const answered = new Set(messages.flatMap(({ content }) => content.map(answeredBy)))
  let isLeft = false
  return pieces.filter(({ to, delta }) => {
    switch (delta.type) {
      case 'state_delta':
        return snapshot === undefined
      case 'activity_delta':
        return !activities.some(
          ({ message_id, activity_type }) => message_id === delta.message_id && activity_type === delta.activity_type,
        )
      case 'tool_output_delta':
        return goesOn && !answered.has(delta.id)
      case 'stream_reset':
      case 'tool_call_cancelled':
        // Of what is left they may take something back.
        return isLeft
      default: {
        const isOpen = left.has(stepOpenedBy(to, delta)?.message ?? '')
        isLeft ||= isOpen
        return isOpen
      }
    }
  })
}

const answeredBy = (block: ContentBlock): string | undefined =>
  block.type === 'tool_result' ? block.tool_use_id : undefined
