/** Neutral events in, a wire's text out. */
import type { AgentEvent } from './event.ts'
import type { Encodable, Framing, Joined } from './protocol.ts'
import type { RunContext } from './run.ts'

export interface TranscodeOptions<TranscoderOptions> {
  readonly transcoder?: TranscoderOptions
  readonly join?: Joined
  /** Number of the first event. Default 0. */
  readonly seq?: number
}

/** Writes one segment, event by event; each call gives the text of whole frames, empty for nothing. */
export interface Writer {
  push(event: AgentEvent): string
  /** The facts of a commit are all given. Of a joined stream, first: its opening. Called or not, a delta or a start implies it. */
  settled(): string
  close(): string
}

export function writer<Frame, Options>(
  protocol: Encodable<Frame, Options>,
  run: RunContext,
  options: TranscodeOptions<NoInfer<Options>> = {},
): Writer {
  const transcoder = protocol.transcoder(run, options.transcoder, options.join)
  const framing = protocol.framing
  let seq = options.seq ?? 0
  /** Facts were given and nothing has told the transcoder yet that their commit is complete. */
  let unsettled = false

  function settled(): string {
    unsettled = false
    return text(framing, transcoder.settled())
  }

  return {
    push(event) {
      const number = seq++
      if (event.tier === 'delta') {
        const before = unsettled ? settled() : ''
        return before + text(framing, transcoder.delta(event.event), number)
      }
      const before = unsettled && event.event.type === 'run_started' ? settled() : ''
      unsettled = true
      return before + text(framing, transcoder.fact(event.event), number)
    },
    settled,
    close: () => (unsettled ? settled() : '') + text(framing, transcoder.close()),
  }
}

/** The text of a group of frames. `seq` stands on the last: whoever saw it saw the whole group. */
export function text<Frame>(framing: Framing<Frame>, frames: readonly Frame[], seq?: number): string {
  let whole = ''
  const last = frames.length - 1
  for (let index = 0; index < last; index++) whole += framing.text(frames[index] as Frame)
  if (last >= 0) whole += framing.text(frames[last] as Frame, seq)
  return whole
}

/**
 * Writes the segment that `events` begins with, and stops at its end; each piece is the whole frames of one event.
 *
 * @throws whatever the source throws, after the frames that end the stream as failed.
 */
export async function* transcode<Frame, Options>(
  protocol: Encodable<Frame, Options>,
  events: AsyncIterable<AgentEvent> | Iterable<AgentEvent>,
  run: RunContext,
  options: TranscodeOptions<NoInfer<Options>> = {},
): AsyncGenerator<string> {
  const { push, settled, close } = writer(protocol, run, options)
  let broken: { readonly error: unknown } | undefined
  try {
    if (options.join) yield settled()
    for await (const event of events) {
      const piece = push(event)
      if (piece) yield piece
      if (endsSegment(event)) break
    }
  } catch (error) {
    broken = { error }
  }
  const piece = close()
  if (piece) yield piece
  if (broken) throw broken.error
}

/** After this event a segment says nothing more. */
export function endsSegment({ event }: AgentEvent): boolean {
  return event.type === 'awaiting' || event.type === 'run_finished' || event.type === 'run_failed'
}
