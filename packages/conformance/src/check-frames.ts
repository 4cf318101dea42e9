/** Frames against the grammar of their wire. */
import { type Breach, checkGrammar, type StreamEnd } from '@factwire/core'
import { LawBroken } from './law.ts'
import type { Subject } from './subject.ts'

export interface Checked {
  readonly breaches: readonly Breach[]
  readonly ended: StreamEnd | undefined
}

/** Every breach of a stream, in order. */
export function checkFrames<Frame>({ protocol }: Subject<Frame>, frames: readonly Frame[]): Checked {
  const check = checkGrammar(protocol.grammar)
  const breaches = frames.flatMap((frame) => check.push(frame))
  return { breaches: [...breaches, ...check.end()], ended: check.ended() }
}

/** What we write breaks no rule, whatever a client would make of it. A stream of nothing is none. */
export function demandGrammar<Frame>(subject: Subject<Frame>, frames: readonly Frame[], body: string): void {
  if (frames.length === 0) return
  const [breach] = checkFrames(subject, frames).breaches
  if (breach) throw new LawBroken(tellBreach(breach), { streams: { live: body } })
}

export const tellBreach = ({ rule, says, frame, item, state, input }: Breach): string =>
  `${rule}: ${says} (frame ${frame}: ${input}, while ${item} is ${state})`
