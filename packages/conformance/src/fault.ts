/** A small deliberate fault, and the law that must find it: how the laws themselves are judged. */
import type { Delta, Encodable, Fact, Transcoder } from '@factwire/core'
import type { Subject } from './subject.ts'

export interface Fault {
  /** As an author would tell it: `the end is missing`. */
  readonly name: string
  /** Name of the law that finds it. */
  readonly law: string
  /** Undefined where the fault cannot be told from the truth on this wire. */
  sabotage(subject: Subject<unknown>): Subject<unknown> | undefined
}

/** What a fault does to a transcoder; what it leaves out, the transcoder does itself. */
export interface Tampering {
  fact?(fact: Fact, inner: Transcoder<unknown>): readonly unknown[]
  settled?(inner: Transcoder<unknown>): readonly unknown[]
  delta?(delta: Delta, inner: Transcoder<unknown>): readonly unknown[]
  close?(inner: Transcoder<unknown>): readonly unknown[]
  /** All frames of a call, whatever gave them. `cause` says what was asked. */
  frames?(frames: readonly unknown[], cause: 'fact' | 'settled' | 'delta' | 'close'): readonly unknown[]
}

/** The subject with a transcoder that is tampered with; `tamper` is called once for each stream. */
export function tampered(subject: Subject<unknown>, tamper: () => Tampering): Subject<unknown> {
  return withTranscoder(subject, (...given) => {
    const inner = subject.protocol.transcoder(...given)
    const { fact, settled, delta, close, frames = (same) => same } = tamper()
    return {
      fact: (given) => frames(fact ? fact(given, inner) : inner.fact(given), 'fact'),
      settled: () => frames(settled ? settled(inner) : inner.settled(), 'settled'),
      delta: (given) => frames(delta ? delta(given, inner) : inner.delta(given), 'delta'),
      close: () => frames(close ? close(inner) : inner.close(), 'close'),
    }
  })
}

/** The subject with another way to make transcoders. */
export function withTranscoder(
  subject: Subject<unknown>,
  transcoder: Encodable<unknown>['transcoder'],
): Subject<unknown> {
  return { ...subject, protocol: { ...subject.protocol, transcoder } }
}

/** Whether its wire tells anything of such facts. */
export function hasPlaceFor({ protocol }: Subject<unknown>, type: Fact['type']): boolean {
  const fate = protocol.fidelity[type]
  return !('kept' in fate && fate.kept === 'dropped')
}
