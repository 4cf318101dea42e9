/** The fragments of each kind of item, as events. */
import type { Counter } from './counter.ts'
import { type Pieces, pieceEvents } from './piece-event.ts'

export interface Place {
  readonly item_id: string
  readonly output_index: number
}

type PiecesOf = (place: Place) => Pieces

export const messagePieces =
  (counter: Counter): PiecesOf =>
  (place) =>
    pieceEvents(counter, (sequence_number, delta) => ({
      type: 'response.output_text.delta',
      sequence_number,
      ...place,
      content_index: 0,
      logprobs: [],
      delta,
    }))

export const argumentPieces =
  (counter: Counter, type: 'response.function_call_arguments.delta' | 'response.mcp_call_arguments.delta'): PiecesOf =>
  (place) =>
    pieceEvents(counter, (sequence_number, delta) => ({ type, sequence_number, ...place, delta }))

export const thoughtPieces =
  (counter: Counter): PiecesOf =>
  (place) =>
    pieceEvents(counter, (sequence_number, delta) => ({
      type: 'response.reasoning_summary_text.delta',
      sequence_number,
      ...place,
      summary_index: 0,
      delta,
    }))
