/** One segment of a run as an HTTP response, in any protocol: a web `Response`, or what node's `http` server hands out. */
import { type Encodable, type RunContext, type TranscodeOptions, writer } from '@factwire/core'
import { type RunEvents, type Pump, discard, pump, type Sink } from './pump.ts'

export interface RespondOptions<TranscoderOptions> extends TranscodeOptions<TranscoderOptions> {
  /** Milliseconds of idleness before each heartbeat, or false for none. Default 15,000. */
  readonly heartbeat?: number | false
  /** Further headers; they win. */
  readonly headers?: Readonly<Record<string, string>>
  /** Told what the source threw. The client sees a failed run, not a broken connection. What it throws itself is dropped. */
  readonly onError?: (error: unknown) => void
}

const HEARTBEAT = 15_000

/**
 * A response whose body is the run's stream. It pulls: a slow reader slows only the source of its own events. The body ends
 * with the segment. A reader that leaves closes `events`; whether the run goes on is the host's business.
 */
export function respond<Frame, Options>(
  protocol: Encodable<Frame, Options>,
  events: RunEvents,
  run: RunContext,
  options: RespondOptions<NoInfer<Options>> = {},
): Response {
  let closed = false
  let taken: (() => void) | undefined
  let leave: (() => void) | undefined

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const sink: Sink = {
          get closed() {
            return closed
          },
          write(text) {
            controller.enqueue(encode(text))
            if ((controller.desiredSize ?? 0) > 0) return undefined
            return new Promise((resolve) => {
              taken = resolve
            })
          },
        }
        const stream = startPump(protocol, events, run, sink, options)
        leave = stream.leave
        void finished(stream, options).then(() => {
          if (!closed) controller.close()
        })
      },
      pull() {
        taken?.()
        taken = undefined
      },
      cancel() {
        closed = true
        leave?.()
        taken?.()
      },
    },
    // One unread piece at the most.
    { highWaterMark: 1 },
  )
  return new Response(body, { headers: headersOf(protocol, options) })
}

/** What is used of a node `ServerResponse`. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  flushHeaders(): void
  write(text: string): boolean
  end(): unknown
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
  readonly destroyed: boolean
  readonly writableEnded: boolean
}

/** Writes the run's stream to a node response and ends it. Settles when the segment is written or the reader has left. */
export async function writeTo<Frame, Options>(
  response: NodeResponse,
  protocol: Encodable<Frame, Options>,
  events: RunEvents,
  run: RunContext,
  options: RespondOptions<NoInfer<Options>> = {},
): Promise<void> {
  const closed = (): boolean => response.destroyed || response.writableEnded
  if (closed()) {
    discard(events)
    return
  }
  response.writeHead(200, headersOf(protocol, options))
  // A reader that sees no headers counts the wait for the first token as a timeout.
  response.flushHeaders()
  const sink: Sink = {
    get closed() {
      return closed()
    },
    // `false` means accepted and full. A response that closes never drains.
    write: (text) => (response.write(text) ? undefined : settle(response)),
  }
  const stream = startPump(protocol, events, run, sink, options)
  const left = new Promise<void>((resolve) => {
    response.once('close', () => {
      stream.leave()
      resolve()
    })
  })
  await Promise.race([finished(stream, options), left])
  if (!response.destroyed) response.end()
}

function settle(response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.once('drain', done)
    response.once('close', done)
    if (response.destroyed) done()
  })
}

function startPump<Frame, Options>(
  protocol: Encodable<Frame, Options>,
  events: RunEvents,
  run: RunContext,
  sink: Sink,
  options: RespondOptions<Options>,
): Pump {
  const { heartbeat = HEARTBEAT, join } = options
  const target = writer(protocol, run, options)
  return pump(events, target, sink, {
    heartbeat: protocol.framing.heartbeat,
    idle: heartbeat,
    opening: join ? target.settled() : '',
  })
}

async function finished(stream: Pump, { onError }: RespondOptions<unknown>): Promise<void> {
  try {
    await stream.done
  } catch (error) {
    try {
      onError?.(error)
    } catch {
      // The stream has its end already; it is not the reader's to hear of this.
    }
  }
}

function headersOf<Frame, Options>(
  { framing }: Encodable<Frame, Options>,
  { headers }: RespondOptions<Options>,
): Record<string, string> {
  return { 'content-type': framing.mediaType, ...framing.headers, ...headers }
}

// Where there is a Buffer it is twice as fast as an encoder.
const buffer = (globalThis as { Buffer?: { from(text: string): Uint8Array<ArrayBuffer> } }).Buffer
const encoder = new TextEncoder()

function encode(text: string): Uint8Array<ArrayBuffer> {
  return buffer ? buffer.from(text) : encoder.encode(text)
}
