/** A wire in, neutral events out: each commit that a decoder finds is folded as it comes. */
import { FactwireError } from './error.ts'
import { type AgentEvent, deltaEvent, factEvent } from './event.ts'
import { type FoldOptions, fold } from './fold.ts'
import { frameReader } from './frame-reader.ts'
import { type Decodable, isCommit, none, type StreamFailureCode, type WireMessage } from './protocol.ts'
import type { Delta } from './event.ts'
import type { Failure, RunContext } from './run.ts'
import type { Commit, Standing } from './thread.ts'

export interface DecodeOptions<DecoderOptions> extends FoldOptions {
  readonly decoder?: DecoderOptions
  /** Where the thread stands before the first message. */
  readonly standing?: Standing
}

export interface DecodeStreamOptions<DecoderOptions> extends DecodeOptions<DecoderOptions> {
  /** Called with what the source throws. Clients are told only that it failed: its words may hold what is not theirs. */
  readonly onError?: (error: unknown) => void
}

/** Reads one stream, message by message. A broken stream gives a failed run, not an exception. */
export interface Reader {
  push(message: WireMessage): readonly AgentEvent[]
  end(failure?: Failure): readonly AgentEvent[]
  run(): Partial<RunContext>
}

export function reader<Frame, Options>(
  protocol: Decodable<Frame, Options>,
  options: DecodeOptions<NoInfer<Options>> = {},
): Reader {
  const decoder = protocol.decoder(options.decoder)
  const parse = frameReader(protocol.framing)
  let standing: Standing = options.standing ?? { openCalls: [] }
  /** People count messages from 1. */
  let count = 0
  let over = false

  function events(items: readonly (Delta | Commit)[]): readonly AgentEvent[] {
    const first = items[0]
    if (!first) return none
    // Nearly always.
    if (items.length === 1 && !isCommit(first)) return [deltaEvent(first)]
    const given: AgentEvent[] = []
    for (const item of items) {
      if (!isCommit(item)) {
        given.push(deltaEvent(item))
        continue
      }
      const { facts, after } = fold(item, standing, options)
      standing = after
      for (const fact of facts) given.push(factEvent(fact))
    }
    return given
  }

  function end(failure?: Failure): readonly AgentEvent[] {
    if (over) return []
    over = true
    return events(decoder.end(failure))
  }

  return {
    push(message) {
      if (over) return []
      const number = ++count
      let frame: Frame | undefined
      try {
        frame = parse(message)
      } catch (error) {
        return end(malformed(error, message, `${protocol.name} message ${number}`))
      }
      return frame === undefined ? [] : events(decoder.push(frame))
    },
    end,
    run: () => decoder.run(),
  }
}

/** Reads a whole stream. A source that throws ends the run as failed, like a stream that is cut. */
export async function* decode<Frame, Options>(
  protocol: Decodable<Frame, Options>,
  messages: AsyncIterable<WireMessage> | Iterable<WireMessage>,
  options: DecodeStreamOptions<NoInfer<Options>> = {},
): AsyncGenerator<AgentEvent> {
  const { push, end } = reader(protocol, options)
  let failure: Failure | undefined
  try {
    for await (const message of messages) yield* push(message)
  } catch (error) {
    options.onError?.(error)
    failure = failed('stream_failed', error instanceof FactwireError ? error.message : 'the stream could not be read')
  }
  yield* end(failure)
}

function malformed(error: unknown, { cut }: WireMessage, place: string): Failure {
  if (!(error instanceof FactwireError)) throw error
  if (cut && error.code === 'malformed_json') return failed('stream_truncated', `the stream ended inside ${place}`)
  return failed('stream_malformed', `${place}: ${error.message}`)
}

function failed(code: StreamFailureCode, message: string): Failure {
  return { code, message }
}
