/**
 * An event that brings one piece of text, of thought or of arguments, as nearly every event does. All but its number and the piece is
 * the same from one to the next, so what stands around them is written once.
 */
import { type Template, escaped, onePiece, stringify } from '@factwire/core'
import type { Counter } from './counter.ts'
import type { WrittenEvent, WrittenFrame } from './wire.ts'

export type DeltaEvent = Extract<WrittenEvent, { readonly delta: string }>

/** Makes the events of one item that differ only in their number and their piece, which is their last field. */
export type Pieces = (piece: string) => DeltaEvent

/** What only the framing looks at: JSON has no such field. */
const WRITING: unique symbol = Symbol('writing')

interface Writing {
  readonly [WRITING]: {
    readonly text: () => string
    /** Writes the event that was counted last. */
    readonly next: Template
  }
}

export function pieceEvents(counter: Counter, make: (sequence_number: number, delta: string) => DeltaEvent): Pieces {
  const sample = make(0, '')
  const json = stringify(sample)
  const numberAt = json.indexOf(':0,') + 1
  const pieceAt = json.lastIndexOf('""') + 1
  const before = onePiece('event: ', sample.type, '\ndata: ', json.slice(0, numberAt))
  const middle = json.slice(numberAt + 1, pieceAt)
  const after = onePiece(json.slice(pieceAt), '\n\n')
  const write = (number: number, piece: string): string => `${before}${number}${middle}${escaped(piece)}${after}`
  const next: Template = (piece) => write(counter.last, piece)

  return (piece) => {
    const number = counter.count(piece)
    const writing: Writing = { [WRITING]: { text: () => write(number, piece), next } }
    return Object.assign(make(number, piece), writing)
  }
}

/** The whole message of such an event, and what writes others like it. */
export function writingOf(frame: object): Writing[typeof WRITING] | undefined {
  return WRITING in frame ? (frame as Writing)[WRITING] : undefined
}

/** The same event without the first units of what it brings. */
export function withoutFirst(event: DeltaEvent, units: number): DeltaEvent {
  return Object.assign({ ...event, delta: event.delta.slice(units) }, { [WRITING]: undefined })
}

export const isDelta = (frame: WrittenFrame): frame is DeltaEvent => typeof frame === 'object' && 'delta' in frame
