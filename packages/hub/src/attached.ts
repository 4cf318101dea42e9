/** What somebody gets who asks for the stream of a run, and how that is said as a web `Response`. */
import type { Left, Sink } from './reader.ts'

export type Attached = AttachedStream | AttachedNothing

export interface AttachedStream {
  readonly type: 'stream'
  /** Of the response: the media type, and what keeps proxies from holding bytes back. */
  readonly headers: Readonly<Record<string, string>>
  /** Begins to read. Call one of the two, once. */
  pipe(sink: Sink): Reading
  body(): ReadableStream<Uint8Array<ArrayBuffer>>
}

/** A reader at work. */
export interface Reading {
  /** Nobody reads any more. */
  leave(): void
  readonly done: Promise<Left>
}

/** There is no stream. */
export interface AttachedNothing {
  readonly type:
    /** The run has ended, or waits on a wire whose responses end with that, and all was seen. */
    | 'over'
    | 'unknown_run'
    /** The position is no number of this run. */
    | 'invalid_position'
    | 'unknown_position'
    | 'too_many_readers'
    /** The hub is closed. */
    | 'closed'
  readonly message: string
}

const STATUS: Readonly<Record<AttachedNothing['type'], number>> = {
  over: 204,
  unknown_run: 404,
  invalid_position: 400,
  unknown_position: 409,
  too_many_readers: 503,
  closed: 503,
}

/** 204 is what makes an `EventSource` stop. */
export function answer(attached: Attached): Response {
  if (attached.type === 'stream') return new Response(attached.body(), { headers: attached.headers })
  const status = STATUS[attached.type]
  if (status === 204) return new Response(null, { status })
  return Response.json({ error: { code: attached.type, message: attached.message } }, { status })
}

/** A body that holds one unread piece at the most. */
export function bodyOf(pipe: (sink: Sink) => Reading): ReadableStream<Uint8Array<ArrayBuffer>> {
  let reading: Reading | undefined
  let taken: (() => void) | undefined
  let closed = false
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        reading = pipe({
          write(bytes) {
            if (closed) return undefined
            controller.enqueue(bytes)
            if ((controller.desiredSize ?? 0) > 0) return undefined
            return new Promise<void>((resolve) => {
              taken = resolve
            })
          },
          end() {
            if (!closed) controller.close()
            closed = true
          },
        })
      },
      pull() {
        taken?.()
        taken = undefined
      },
      cancel() {
        closed = true
        reading?.leave()
        taken?.()
      },
    },
    { highWaterMark: 1 },
  )
}
