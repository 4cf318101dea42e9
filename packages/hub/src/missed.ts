/**
 * Which of the deltas that somebody missed are shown to them although the commit has come: those that it does not tell of, and those that
 * take something back.
 *
 * A number says that all up to it was seen. So what stands before such a delta is shown too, but for what a reset has taken back.
 */
import type { Delta } from '@factwire/core'
import { type PastPiece } from './past-steps.ts'
import { type Piece, type Reached, lastReached } from './open-step.ts'
import { tailOf } from './fragment.ts'

export interface Missed {
  /** Undefined where something before it was left out. */
  readonly seq: number | undefined
  readonly delta: Delta
}

/** Of what was shown before a commit. `restOf`: what of a piece is missed. */
export function* missedOf(
  pieces: readonly PastPiece[],
  restOf: (piece: Piece) => Delta | undefined,
): Generator<Missed> {
  const reset = lastReset(pieces)
  const last = pieces.findLastIndex(({ stays }) => stays)
  let isWhole = true
  for (const [index, piece] of pieces.entries()) {
    const delta = restOf(piece)
    if (!delta) continue
    const isShown =
      index < reset ? piece.stays : index === reset || index <= last || delta.type === 'tool_call_cancelled'
    if (isShown) yield { seq: isWhole ? piece.to : undefined, delta }
    else if (index > reset) isWhole = false
  }
}

/** Of the step that is open: all but what a reset has taken back. */
export function* missedOfOpen(
  pieces: readonly Piece[],
  restOf: (piece: Piece) => Delta | undefined,
): Generator<Missed> {
  const reset = lastReset(pieces)
  for (const [index, piece] of pieces.entries()) {
    const delta = restOf(piece)
    if (delta && (index >= reset || isPatch(delta))) yield { seq: piece.to, delta }
  }
}

/** What of a piece comes after a number, and after what was reached of the piece that was growing then. */
export function restAfter(piece: Piece, seen: number, reached: Reached | undefined): Delta | undefined {
  if (piece.to <= seen) return undefined
  if (piece.from > seen) return piece.delta
  return reached && lastReached(reached)?.from === piece.from ? tailOf(piece.delta, reached.units) : undefined
}

const lastReset = (pieces: readonly Piece[]): number =>
  pieces.findLastIndex(({ delta }) => delta.type === 'stream_reset')

const isPatch = ({ type }: Delta): boolean => type === 'state_delta' || type === 'activity_delta'
