/** A wire's own words for what every provider of a model says: the torture of a decoder is told in them. */

/**
 * Each answer is the text of whole messages, such as server-sent events. Undefined: the wire has no words for it, and what
 * needs them is not tried. A speaker speaks one stream, so it may remember what it said.
 */
export interface Speaker {
  /** The finish is the end: nothing may come after it. Otherwise `done` says so. */
  readonly finishEnds: boolean
  /** No answer is whole without `done`: one that has only its finish was cut. Default false. */
  readonly markEnds?: boolean
  start(): string | undefined
  text(piece: string): string | undefined
  call(call: SpokenCall): string | undefined
  /** The next piece of a call's arguments. */
  args(call: SpokenCall, piece: string): string | undefined
  /** Why the answer is over. `calls`: the client is to run them. */
  finish(reason: SpokenFinish): string | undefined
  usage(usage: SpokenUsage): string | undefined
  /** A failure, told in the stream. `beside`: text that stands in the same message. */
  error(error: SpokenError, beside?: string): string | undefined
  /** Says "still here", and nothing else. */
  keepAlive(): string | undefined
  /** The end mark. */
  done(): string | undefined
}

export interface SpokenCall {
  /** Counts the calls of the answer from 0. */
  readonly index: number
  readonly id?: string
  readonly name: string
}

export type SpokenFinish = 'stop' | 'calls' | 'length'

export interface SpokenUsage {
  readonly prompt: number
  readonly completion: number
}

export interface SpokenError {
  readonly code: string
  readonly message: string
}
