/** A stream as a server would write it: its frames, and their text. */
import type { AgentEvent, Encodable, Joined, RunContext } from '@factwire/core'
import type { LiveRun } from './run.ts'
import type { Subject } from './subject.ts'

export interface Encoded<Frame> {
  readonly frames: readonly Frame[]
  /** The text of each frame. */
  readonly texts: readonly string[]
  /** What each event gave, in order; what belongs to no event stands before the next, or alone at the end. */
  readonly pieces: readonly Piece[]
  readonly body: string
}

export interface Piece {
  readonly text: string
  /** Number of its event. Without it, there was none: an opening, or the producer was gone. */
  readonly seq?: number
}

export interface EncodeOptions {
  readonly join?: Joined
  /** Number of the first event. Default 0. */
  readonly seq?: number
  /** The segment that the run goes on from. */
  readonly first?: LiveRun
  /** The producer stays: nothing is closed after the last event. */
  readonly unclosed?: boolean
}

export function contextOf<Frame, Options>(subject: Subject<Frame, Options>, run: LiveRun, first?: LiveRun): RunContext {
  return subject.context?.(run, first) ?? run.run
}

export function encode<Frame, Options>(
  subject: Subject<Frame, Options>,
  run: LiveRun,
  events: readonly AgentEvent[],
  options: EncodeOptions = {},
): Encoded<Frame> {
  return encodeWith(subject.protocol, contextOf(subject, run, options.first), events, {
    ...options,
    transcoder: subject.options,
  })
}

function encodeWith<Frame, Options>(
  { transcoder, framing }: Encodable<Frame, Options>,
  context: RunContext,
  events: readonly AgentEvent[],
  options: EncodeOptions & { readonly transcoder: Options | undefined },
): Encoded<Frame> {
  const target = transcoder(context, options.transcoder, options.join)
  const frames: Frame[] = []
  const texts: string[] = []
  const pieces: Piece[] = []
  let seq = options.seq ?? 0
  let unsettled = false

  const write = (given: readonly Frame[], number?: number): string => {
    frames.push(...given)
    // Only the last frame of a group carries the number.
    const own = given.map((frame, index) => framing.text(frame, index === given.length - 1 ? number : undefined))
    texts.push(...own)
    return own.join('')
  }
  const settle = (): string => {
    if (!unsettled) return ''
    unsettled = false
    return write(target.settled())
  }

  if (options.join) pieces.push({ text: write(target.settled()) })
  for (const { tier, event } of events) {
    const before = tier === 'delta' || event.type === 'run_started' ? settle() : ''
    unsettled ||= tier === 'fact'
    const own = write(tier === 'delta' ? target.delta(event) : target.fact(event), seq)
    pieces.push({ text: before + own, seq })
    seq++
  }
  const rest = settle() + (options.unclosed ? '' : write(target.close()))
  if (rest) pieces.push({ text: rest })
  return { frames, texts, pieces, body: texts.join('') }
}
