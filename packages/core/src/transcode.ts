/** Neutral events in, a wire's text out. */
import type { AgentEvent, Delta, Fact } from './event.ts'
import { type Loss, lossOf } from './fidelity.ts'
import type { Encodable, Framing, Joined, StreamFailureCode, Template } from './protocol.ts'
import type { RunContext } from './run.ts'

export interface TranscodeOptions<TranscoderOptions> {
  readonly transcoder?: TranscoderOptions
  readonly join?: Joined
  /** Number of the first event. Default 0. */
  readonly seq?: number
  /** Called for each fact that the wire does not carry whole. */
  readonly onLoss?: (loss: Loss) => void
  /** Fail the run, as `loss_refused`, instead of losing anything of a fact that somebody could miss. Default false. */
  readonly strict?: boolean
}

/** Writes one segment, event by event; each call gives the text of whole frames, empty for nothing. */
export interface Writer {
  push(event: AgentEvent): string
  /** The facts of a commit are all given. Of a joined stream, first: its opening. Called or not, a delta or a start implies it. */
  settled(): string
  /** The producer is gone. Without an end seen, even without a start, the stream ends as failed. */
  close(): string
}

export function writer<Frame, Options>(
  protocol: Encodable<Frame, Options>,
  run: RunContext,
  options: TranscodeOptions<NoInfer<Options>> = {},
): Writer {
  const transcoder = protocol.transcoder(run, options.transcoder, options.join)
  const framing = protocol.framing
  const watched = options.onLoss !== undefined || options.strict === true
  let seq = options.seq ?? 0
  /** Facts were given and nothing has told the transcoder yet that their commit is complete. */
  let unsettled = false
  let started = options.join !== undefined
  /** The run has failed for a loss: what comes after is not written, so nothing more of it is lost. */
  let refused = false

  /** The fact, or the failure in its place where the wire would lose of it what may not be lost. */
  function carried(fact: Fact): Fact {
    const loss = watched && !refused && protocol.fidelity ? lossOf(protocol.fidelity, fact) : undefined
    if (!loss) return fact
    options.onLoss?.(loss)
    refused = options.strict === true && !loss.fate.harmless
    return refused ? refusal(protocol.name, loss) : fact
  }

  /** Writes the next frame, where that is one of the same open item as the last. */
  let template: Template | undefined

  function delta(event: Delta, number: number): string {
    const fragment = template && transcoder.next?.(event)
    if (template && fragment !== undefined) return template(fragment, number)
    const frames = transcoder.delta(event)
    template = frames.length === 1 ? framing.template?.(frames[0] as Frame) : undefined
    return text(framing, frames, number)
  }

  function settled(): string {
    unsettled = false
    return text(framing, transcoder.settled())
  }

  return {
    push(event) {
      const number = seq++
      if (event.tier === 'delta') {
        return unsettled ? settled() + delta(event.event, number) : delta(event.event, number)
      }
      const before = unsettled && event.event.type === 'run_started' ? settled() : ''
      unsettled = true
      started ||= event.event.type === 'run_started'
      return before + text(framing, transcoder.fact(carried(event.event)), number)
    },
    settled,
    close() {
      const before = unsettled ? settled() : ''
      // A body of nothing looks like success to many clients: a run that never began is begun, so that it can fail.
      const start = started ? '' : text(framing, transcoder.fact({ type: 'run_started' }))
      return before + start + text(framing, transcoder.close())
    },
  }
}

function refusal(protocol: string, { fact, fate }: Loss): Fact {
  const what = fate.kept === 'lossy' ? `loses ${fate.loses} of` : 'has no place for'
  const code: StreamFailureCode = 'loss_refused'
  return { type: 'run_failed', code, message: `${protocol} ${what} ${fact.type}` }
}

/** The text of a group of frames. `seq` stands on the last: whoever saw it saw the whole group. */
export function text<Frame>(framing: Framing<Frame>, frames: readonly Frame[], seq?: number): string {
  const last = frames.length - 1
  if (last < 0) return ''
  let before = ''
  for (let index = 0; index < last; index++) before += framing.text(frames[index] as Frame)
  return before + framing.text(frames[last] as Frame, seq)
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
