/**
 * Where the bytes of a stream go: reading begins at once, and waits with what it has until somebody says where to.
 *
 * Node's own response is written by hand, because a web stream in between costs a reader 5 KiB and a delivery a third of its time.
 */
import type { ServerResponse } from 'node:http'
import type { AttachedStream, Sink } from '@factwire/hub'

export type Bytes = Uint8Array<ArrayBuffer>

/** Something is read already, and goes to the one of the two that is called, once. */
export interface Outlet {
  /** Writes the head, and then what comes. */
  toNode(response: ServerResponse, headers: Readonly<Record<string, string>>): void
  toWeb(): ReadableStream<Bytes>
}

export function outlet(attached: Pick<AttachedStream, 'pipe'>): Outlet {
  let target: Sink | undefined
  /** What came before there was a target. The reader gives no more until the first piece is taken. */
  let held: { readonly bytes: Bytes; taken(): void } | undefined
  let isOver = false

  const reading = attached.pipe({
    write(bytes) {
      if (target) return target.write(bytes)
      return new Promise<void>((resolve) => {
        held = { bytes, taken: resolve }
      })
    },
    end() {
      isOver = true
      target?.end()
    },
  })

  function handTo(sink: Sink): void {
    target = sink
    const first = held
    held = undefined
    const full = first && sink.write(first.bytes)
    if (full) void full.then(first?.taken, first?.taken)
    else first?.taken()
    if (isOver) sink.end()
  }

  return {
    toNode(response, headers) {
      if (response.destroyed) return reading.leave()
      response.writeHead(200, headers)
      response.flushHeaders()
      response.on('close', () => reading.leave())
      handTo({
        // `false` means accepted and full.
        write: (bytes) => (response.write(bytes) ? undefined : room(response)),
        end: () => response.end(),
      })
    },
    toWeb() {
      let taken: (() => void) | undefined
      let closed = false
      return new ReadableStream<Bytes>(
        {
          start(controller) {
            handTo({
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
            reading.leave()
            taken?.()
          },
        },
        { highWaterMark: 1 },
      )
    },
  }
}

/** A response that closes never drains. */
function room(response: ServerResponse): Promise<void> {
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
