/** The wires that a run leaves on: how each is served, and the client that reads it. Here is all that the demo knows of them. */
import type { ServerResponse } from 'node:http'
import { agUi } from '@factwire/ag-ui'
import type { Encodable } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { sse, writeTo } from '@factwire/sse'
import { readChat } from './chat-client.ts'
import { readEvents } from './event-source.ts'
import { readAgent } from './http-agent.ts'
import type { Reading } from './outcome.ts'
import { type Moment, RUN } from './run.ts'

export interface Wire {
  readonly name: string
  /** The beginning of the paths under which it is served. */
  readonly base: string
  readonly client: string
  serve(response: ServerResponse, run: AsyncIterable<Moment>): Promise<void>
  /** Reads the run as a user of the client would. Gives what it saw, never rejects. */
  read(url: string): Promise<Reading>
}

export const wires: readonly Wire[] = [
  {
    ...served(sse, {}, ({ event_type }) => event_type),
    base: '/events',
    client: 'EventSource + reduce',
    read: readEvents,
  },
  {
    ...served(agUi, {}, ({ type }) => type),
    base: '/agent',
    client: 'HttpAgent',
    read: readAgent,
  },
  {
    ...served(openaiChat, { clientTools: ['get_weather'] }, chatFrame),
    base: '/v1',
    client: 'openai SDK',
    read: readChat,
  },
]

function served<Frame, Options>(
  protocol: Encodable<Frame, Options>,
  options: NoInfer<Options>,
  kind: (frame: Frame) => string,
): Pick<Wire, 'name' | 'serve'> {
  const { name } = protocol
  return {
    name,
    serve(response, run) {
      let now: Moment | undefined
      async function* events(): AsyncGenerator<Moment['event']> {
        for await (const moment of run) {
          now = moment
          for (let copy = 0; copy < moment.copies; copy++) yield moment.event
        }
      }
      const noted = noting(protocol, (frames) => {
        if (now) now.frames.set(name, [...(now.frames.get(name) ?? []), ...frames.map(kind)])
      })
      return writeTo(response, noted, events(), RUN, { transcoder: options })
    },
  }
}

/** The same protocol, which also tells what frames its transcoder gives. */
function noting<Frame, Options>(
  protocol: Encodable<Frame, Options>,
  note: (frames: readonly Frame[]) => void,
): Encodable<Frame, Options> {
  return {
    ...protocol,
    transcoder(...parameters) {
      const { fact, settled, delta, close } = protocol.transcoder(...parameters)
      const noted = (frames: readonly Frame[]): readonly Frame[] => {
        note(frames)
        return frames
      }
      return {
        fact: (event) => noted(fact(event)),
        settled: () => noted(settled()),
        delta: (event) => noted(delta(event)),
        close: () => noted(close()),
      }
    },
  }
}

/** A chunk has no type: what it is for is the first field of its delta, its finish, or its error. */
function chatFrame(frame: object | string): string {
  if (typeof frame === 'string') return frame
  const text = JSON.stringify(frame)
  const finish = /"finish_reason":"(\w+)"/.exec(text)?.[1]
  if (finish !== undefined) return `finish ${finish}`
  return /"delta":\{"(\w+)"/.exec(text)?.[1] ?? Object.keys(frame).join()
}
