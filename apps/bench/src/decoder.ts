/** Wires' readers as contenders: pieces of a stream to the fragments in it. */
import { reader } from '@factwire/core'
import { createReducer, createSseReader, framing } from '@factwire/sse'
import type { Contender } from './contender.ts'
import { words } from './shown.ts'
import { listener } from './spoken-by.ts'
import type { Stream } from './stream.ts'
import type { Readable } from './wires.ts'

/** To neutral events. */
export function decoder(wire: Readable, { pieces }: Stream): Contender {
  return {
    name: `factwire ${wire.name} decoder`,
    run(take) {
      const messages = createSseReader()
      const { push, end } = reader(wire)
      const listen = listener()
      for (const piece of pieces) {
        for (const message of messages.push(piece)) {
          for (const event of push(message)) take(listen(event))
        }
      }
      if (messages.end().length > 0) throw new Error('the stream was cut')
      end()
    },
    shows: words,
  }
}

/** To what a page shows. */
export function reducer({ pieces }: Stream): Contender {
  return {
    name: 'factwire sse reduce',
    run(take) {
      const messages = createSseReader()
      const { push, view } = createReducer()
      for (const piece of pieces) {
        for (const message of messages.push(piece)) {
          const event = framing.parse(message)
          if (event) push(event)
        }
      }
      for (const { text, calls } of view().turns) {
        take(text)
        for (const { argumentsText } of calls) take(argumentsText)
      }
    },
    shows: words,
  }
}
