/** A run as bytes of a wire, in the pieces in which a network brings them. */
import { writer } from '@factwire/core'
import { createParser } from 'eventsource-parser'
import type { Contender } from './contender.ts'
import { words } from './shown.ts'
import { listener } from './spoken-by.ts'
import type { Writable } from './wires.ts'
import type { Workload } from './workload.ts'

export interface Stream {
  readonly pieces: readonly Uint8Array[]
  /** Server-sent events in it. */
  readonly messages: number
  /** The text and the arguments in it, joined. */
  readonly text: string
}

const PIECE = 16 * 1024

export function streamOf(wire: Writable, { context, events }: Workload): Stream {
  const { push, close } = writer(wire, context)
  let wireText = ''
  let shown = ''
  const listen = listener()
  for (const event of events) {
    const frames = push(event)
    wireText += frames
    // Not every wire shows every call.
    if (frames !== '') shown += listen(event)
  }
  return streamFrom(wireText + close(), shown)
}

/** Whether a wire shows the deltas of a workload: where it shows a call only as a whole, there is nothing to measure in its fragments. */
export function streams(wire: Writable, { context, events }: Workload): boolean {
  const { push } = writer(wire, context)
  return (
    events.filter((event) => push(event) !== '' && ('delta' in event.event || 'args_delta' in event.event)).length > 0
  )
}

export function streamFrom(wireText: string, text: string): Stream {
  const bytes = Buffer.from(wireText)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += PIECE) pieces.push(bytes.subarray(at, at + PIECE))
  return { pieces, messages: dataOf(wireText).length, text }
}

/** The run itself, as somebody whose word counts. */
export function told({ text }: Stream): Contender {
  return { name: 'the run', run: (take) => take(text), shows: words }
}

/** A body that gives a piece whenever it is asked for one. */
export function bodyOf({ pieces }: Stream): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[next++]
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
  })
}

/** The least that a reader of JSON could do: split at empty lines, and parse. */
export function splitAndParse({ pieces }: Stream): Contender {
  return {
    name: 'limit: split and JSON.parse',
    run(take) {
      const decoder = new TextDecoder()
      let rest = ''
      for (const piece of pieces) {
        const blocks = (rest + decoder.decode(piece, { stream: true })).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) {
          const data = block.slice(block.indexOf('data: ') + 'data: '.length)
          if (data !== '[DONE]') JSON.parse(data)
          take(data)
        }
      }
    },
  }
}

/** The data of every event, by a reader that is not ours: what a limit has to find. */
export function dataOf(wireText: string): string[] {
  const data: string[] = []
  createParser({ onEvent: (message) => void data.push(message.data) }).feed(wireText)
  return data
}
