/** What an author gives to have a protocol judged. */
import type { Decodable, Described, Encodable, RunContext } from '@factwire/core'
import type { Glimpsing } from './glimpse.ts'
import type { LiveRun } from './run.ts'
import type { ClientView, Seen } from './seen.ts'

export interface Subject<Frame, Options = unknown> {
  readonly protocol: Encodable<Frame, Options> & Described<Frame> & Partial<Decodable<Frame>>
  /** What tests and tables call it, where a protocol is judged by several clients. Default: the protocol's name. */
  readonly label?: string
  /**
   * What a real client of the wire ends with after the text of a stream: the official one, where there is one. It judges,
   * so it must not be built from the encoder.
   */
  view(body: string, stage: Stage): ClientView | Promise<ClientView>
  /** What the same client shows while the stream goes on. Without it nobody judges whether anything is streamed at all. */
  readonly glimpse?: Glimpsing
  /** What the wire's own validator has against a stream. Warnings count. */
  judge?(frames: readonly Frame[]): readonly string[] | Promise<readonly string[]>
  /** Of the transcoder. */
  readonly options?: Options
  /** The context of a run as a server of this wire has it. Default: the run's own. `first` is the segment that it goes on from. */
  context?(run: LiveRun, first?: LiveRun): RunContext
  /**
   * A client can be made to take back what it was shown, so no stream ever fails because of its deltas. Default true; where
   * it is false, a stream may fail where what was shown is no prefix of the truth, and nowhere else.
   */
  readonly repairs?: boolean
  /**
   * Whether what a client complains of, or why it gives a stream up, is what no order of frames can say: a patch that does not fit its
   * document, or pieces that are no JSON together.
   */
  isBeyondGrammar?(words: string): boolean
  /** The part of the truth that this wire shows. Default: all of it. With `more`, that of the client's view must be the same. */
  shows?(truth: Seen, run: LiveRun, first?: LiveRun): Seen & Pick<ClientView, 'more'>
}

/** Where a view is taken. */
export interface Stage {
  readonly run: LiveRun
  readonly context: RunContext
  /** The segment after which the run waited and now goes on. */
  readonly first?: LiveRun
  /** What the same client had read before, on a connection that broke. */
  readonly had?: string
}

export const labelOf = ({
  label,
  protocol,
}: Pick<Subject<never>, 'label'> & { readonly protocol: { readonly name: string } }): string => label ?? protocol.name
