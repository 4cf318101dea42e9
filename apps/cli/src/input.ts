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

/**
 * Reads a wire. A decoder answers for one run; what comes after its end and says anything is another run, for another decoder, and
 * if it is no whole run, it is one that fails.
 */
export function wireInput(wire: Decodable<unknown>, bytes: Bytes): Input {
  const messages = readSse(bytes)
  let decoder: Decoder<unknown> | undefined
  let runs = 0
  /** The text of the message that is read. */
  let text = ''
  /** Set where the run has ended, or waits. */
  let ended: End | undefined
  /** The decoder was given the message and had no use for it. */
  let ignored = true
  let failure: Failure | undefined
  /** The first message of the run that comes now. */
  let first: WireMessage | undefined
  let messagesSeen = 0
  let framesSeen = 0

  async function* events(): AsyncGenerator<AgentEvent> {
    try {
      do {
        runs++
        yield* decode(watched, run(), { reasoning: 'text' })
      } while (first)
    } finally {
      await messages.return(undefined)
    }
  }

  async function* run(): AsyncGenerator<WireMessage> {
    if (first) yield first
    first = undefined
    for (let next = await messages.next(); !next.done && !failure; next = await messages.next()) {
      const message = next.value
      messagesSeen++
      if (!ended) {
        yield message
        continue
      }
      const alone = readAlone(wire, message, ended)
      const runId = decoder?.run().runId
      const isOfAnother = alone.runId !== undefined && alone.runId !== runId && !(alone.isTail && runId === undefined)
      // A run that waits may go on, under the same id.
      ignored = true
      if (!isOfAnother) yield message
      if (isOfAnother || (ignored && alone.says)) {
        first = message
        return
      }
    }
  }

  /** A wire from elsewhere may bring a core of its own, whose error class is another. */
  function parse(message: WireMessage): unknown {
    text = message.data
    try {
      const frame = wire.framing.parse(message)
      if (frame !== undefined) framesSeen++
      return frame
    } catch (cause) {
      if (cause instanceof FactwireError) throw cause
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
      ended = undefined
      return {
        push(frame) {
          const items = inner.push(frame)
          ignored = items.length === 0
          const state = items.findLast(isCommit)?.state
          if (state) ended = state.type === 'running' ? undefined : { text, failed: isFailed(state) }
          failure ??= ownFailure(state, text)
          return items
        },
        end(broken) {
          const commits = inner.end(broken)
          failure ??= commits.map(({ state }) => streamFailureOf(state)).find((found) => found !== undefined)
          return commits
        },
        run: () => inner.run(),
      }
    },
  }

  return {
    events: events(),
    run: () => decoder?.run() ?? {},
    failure() {
      if (failure?.code === 'stream_truncated' && framesSeen === 0) return nothingIn(wire.name, messagesSeen)
      return failure && runs > 1 ? { ...failure, message: `run ${runs}: ${failure.message ?? failure.code}` } : failure
    },
  }
}

interface End {
  /** The text of the message that ended the run. */
  readonly text: string
  readonly failed: boolean
}

interface Alone {
  /** The run that the message names by itself. */
  readonly runId?: string
  /** Whether it says anything: content, whose run it is, or a failure; or what cannot be read. The end said again is nothing. */
  readonly says: boolean
  /** It says what a model call took, and nothing else: some providers do so when all else is over. */
  readonly isTail: boolean
}

/** What a message that comes after the end of a run is to a decoder that has seen nothing else. */
function readAlone(
  { framing, decoder: create }: Decodable<unknown>,
  message: WireMessage,
  { text, failed }: End,
): Alone {
  const nothing: Alone = { says: false, isTail: false }
  if (message.data.trim() === text.trim()) return nothing
  try {
    const frame = framing.parse(message)
    if (frame === undefined) return nothing
    const decoder = create()
    const items = decoder.push(frame)
    const rest = decoder.end()
    const run = decoder.run()
    // Many wires follow a failure with the end that every run has.
    const fails = items.some(
      (item) => isCommit(item) && isFailed(item.state) && !failed && !ownFailure(item.state, message.data),
    )
    const content =
      items.some((item) => !isCommit(item) || hasContent(item)) || rest.some(({ messages }) => messages.length > 0)
    const isTail =
      !content && !fails && [...items, ...rest].some((item) => isCommit(item) && item.inference !== undefined)
    return {
      ...(run.runId === undefined ? {} : { runId: run.runId }),
      says: content || fails || (Object.keys(run).length > 0 && !isTail),
      isTail,
    }
  } catch {
    return { says: true, isTail: false }
  }
}

function hasContent({ messages, snapshot, activities }: Commit): boolean {
  return messages.length > 0 || snapshot !== undefined || activities !== undefined
}

function isFailed(state: Commit['state']): boolean {
  return state.type === 'ended' && state.cause.type === 'error'
}

const STREAM_FAILURES = new Set(['stream_truncated', 'stream_malformed', 'stream_failed'])

/** A reader's own word on a stream, and not what the run says of itself. */
export const isStreamFailure = (code: string): boolean => STREAM_FAILURES.has(code)

/** A decoder may also say at the end how the run itself failed, where its wire tells the end by stopping. */
function streamFailureOf(state: Commit['state'] | undefined): Failure | undefined {
  if (state?.type !== 'ended' || state.cause.type !== 'error') return undefined
  const { failure } = state.cause
  return isStreamFailure(failure.code) ? failure : undefined
}

/** What a decoder found wrong at a message. A failure that the run reports itself is one whose code the message spells. */
function ownFailure(state: Commit['state'] | undefined, text: string): Failure | undefined {
  const failure = streamFailureOf(state)
  return failure && !text.includes(failure.code) ? failure : undefined
}

function nothingIn(wire: string, messages: number): Failure {
  if (messages === 0) return { code: 'stream_truncated', message: 'there is nothing in it' }
  return { code: 'stream_malformed', message: `there is no message of ${wire} in it` }
}
