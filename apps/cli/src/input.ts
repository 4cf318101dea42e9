/**
 * The bytes of a stream in, neutral events out, whatever the wire; and the word on whether the stream was good.
 *
 * No input throws because of what is in it: a bad stream is a run that ends as failed.
 */
import {
  type AgentEvent,
  type Commit,
  type Decodable,
  type Decoder,
  type Failure,
  FactwireError,
  type RunContext,
  type WireMessage,
  decode,
  isCommit,
} from '@factwire/core'
import { readSse } from '@factwire/sse'
import type { Bytes } from './source.ts'

export interface Input {
  readonly events: AsyncIterable<AgentEvent>
  /** What the stream itself says about its run, once known. */
  run(): Partial<RunContext>
  /** What is wrong with the stream, once it was read. A run that reports its own failure is a good stream. */
  failure(): Failure | undefined
}

/** Reads a wire. A decoder answers for one run; where another begins after its end, so does another decoder. */
export function wireInput(wire: Decodable<unknown>, bytes: Bytes): Input {
  const messages = readSse(bytes)
  let decoder: Decoder<unknown> | undefined
  /** The run has ended, or waits. */
  let over = false
  let failure: Failure | undefined
  /** The first message of the run that comes now. */
  let first: WireMessage | undefined

  async function* events(): AsyncGenerator<AgentEvent> {
    try {
      do yield* decode(watched, run(), { reasoning: 'text' })
      while (first)
    } finally {
      await messages.return(undefined)
    }
  }

  async function* run(): AsyncGenerator<WireMessage> {
    over = false
    if (first) yield first
    first = undefined
    for (let next = await messages.next(); !next.done && !failure; next = await messages.next()) {
      if (over && beginsAnother(next.value)) {
        first = next.value
        return
      }
      yield next.value
    }
  }

  function beginsAnother(message: WireMessage): boolean {
    const id = runIdOf(wire, message)
    return id !== undefined && id !== decoder?.run().runId
  }

  /** A wire from elsewhere may bring a core of its own, whose error class is another. */
  function parse(message: WireMessage): unknown {
    try {
      return wire.framing.parse(message)
    } catch (cause) {
      throw new FactwireError('malformed_frame', cause instanceof Error ? cause.message : String(cause), { cause })
    }
  }

  /** What a decoder says when it is told to end is the reader's own word; the rest is the stream's. */
  const watched: Decodable<unknown> = {
    name: wire.name,
    framing: { ...wire.framing, parse },
    decoder(options) {
      const inner = wire.decoder(options)
      decoder = inner
      return {
        push(frame) {
          const items = inner.push(frame)
          over ||= items.some((item) => isCommit(item) && item.state.type !== 'running')
          return items
        },
        end(broken) {
          const commits = inner.end(broken)
          failure = commits.map(streamFailureOf).find((found) => found !== undefined)
          return commits
        },
        run: () => inner.run(),
      }
    },
  }

  return { events: events(), run: () => decoder?.run() ?? {}, failure: () => failure }
}

/** Which run a message names by itself. What cannot be read after the end of a run names none. */
function runIdOf({ framing, decoder: create }: Decodable<unknown>, message: WireMessage): string | undefined {
  try {
    const frame = framing.parse(message)
    if (frame === undefined) return undefined
    const decoder = create()
    decoder.push(frame)
    return decoder.run().runId
  } catch {
    return undefined
  }
}

const STREAM_FAILURES = new Set(['stream_truncated', 'stream_malformed', 'stream_failed'])

/** A decoder may also say at the end how the run itself failed, where its wire tells the end by stopping. */
function streamFailureOf({ state }: Commit): Failure | undefined {
  if (state.type !== 'ended' || state.cause.type !== 'error') return undefined
  const { failure } = state.cause
  return STREAM_FAILURES.has(failure.code) ? failure : undefined
}
