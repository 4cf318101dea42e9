/** The port of a model: a wire that can be read, and how a request is made from a thread. Which provider that is, the host knows. */
import {
  type ClientTool,
  type Commit,
  type Decodable,
  type Delta,
  FactwireError,
  type Failure,
  frameReader,
  isCommit,
  type Message,
  none,
  type WireMessage,
} from '@factwire/core'

export interface Model<Frame = unknown, Options = unknown> {
  readonly wire: Decodable<Frame, Options>
  /** Cuts the bytes of a body into messages: `readSse`. */
  messages(bytes: AsyncIterable<Uint8Array>): AsyncIterable<WireMessage>
  request(asked: Asked): ModelRequest
  /** Options of the wire's decoder. */
  readonly decoder?: Options
}

export interface Asked {
  /** A thread that any provider takes: every call has its one result behind it, and roles alternate. */
  readonly messages: readonly Message[]
  readonly tools: readonly ClientTool[]
  /** Counts the requests of one step, from 0: a host may go to another model after the first. */
  readonly attempt: number
}

export interface ModelRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** As JSON. */
  readonly body: unknown
}

/** A model without the types of its wire. */
export interface Provider extends Pick<Model, 'messages' | 'request'> {
  reading(): Reading
}

export function provider<Frame, Options>(model: Model<Frame, Options>): Provider {
  return {
    messages: (bytes) => model.messages(bytes),
    request: (asked) => model.request(asked),
    reading: () => reading(model),
  }
}

/** One answer, message by message: deltas, and at its end one commit. */
export interface Reading {
  push(message: WireMessage): readonly (Delta | Commit)[]
  /** Of an answer that has not said its end, what there was. */
  end(failure?: Failure): readonly Commit[]
  model(): string
}

function reading<Frame, Options>({ wire, decoder: options }: Model<Frame, Options>): Reading {
  const decoder = wire.decoder(options)
  const parse = frameReader(wire.framing)
  let over = false

  function ended<Item extends Delta | Commit>(items: readonly Item[]): readonly Item[] {
    over ||= items.some((item) => isCommit(item) && item.state.type !== 'running')
    return items
  }

  function end(failure?: Failure): readonly Commit[] {
    return over ? none : ended(decoder.end(failure))
  }

  return {
    push(message) {
      if (over) return none
      let frame: Frame | undefined
      try {
        frame = parse(message)
      } catch (error) {
        if (!(error instanceof FactwireError)) throw error
        const code = message.cut && error.code === 'malformed_json' ? 'stream_truncated' : 'stream_malformed'
        return end({ code, message: error.message })
      }
      return frame === undefined ? none : ended(decoder.push(frame))
    },
    end,
    model: () => decoder.run().model ?? '',
  }
}
