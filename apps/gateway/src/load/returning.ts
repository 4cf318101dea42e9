/** Readers of runs, in a process of their own, that come back with the last number that they have when their server is gone. */
import { get, type IncomingMessage } from 'node:http'
import { type FlatEvent, parseFlat, readSse, reduce, type Turn } from '@factwire/sse'
import { answering } from './children.ts'

export type ReturningQuestion =
  /** Opens so many, and answers when each has its headers. */
  | { readonly type: 'open'; readonly port: number; readonly path: string; readonly count: number }
  /** Answers when every connection is gone. */
  | { readonly type: 'lost' }
  /** Those that have not seen the end ask again, and the answer comes when each has its headers. */
  | { readonly type: 'back'; readonly port: number }
  /** Answers when all have come to the end that their run has. */
  | { readonly type: 'views' }

export interface Views {
  /** What readers of a path show in the end, each with how many show it. */
  readonly views: readonly { readonly path: string; readonly view: string; readonly count: number }[]
  /** Answers that were no stream, by their status. */
  readonly refused: readonly number[]
}

interface Reader {
  readonly path: string
  readonly events: FlatEvent[]
  last: string | undefined
  isOver: boolean
}

const readers: Reader[] = []
const refused: number[] = []
let reading: Promise<void>[] = []

/** Until it ends, or its connection does. A run that waits has said that it is suspended, and goes on. */
async function follow(response: IncomingMessage, reader: Reader): Promise<void> {
  try {
    for await (const { data, id } of readSse(response)) {
      reader.last = id ?? reader.last
      const event = parseFlat(JSON.parse(data))
      if (!event) continue
      reader.events.push(event)
      if (event.event_type === 'run_finish' && event.termination.type !== 'suspended') reader.isOver = true
    }
  } catch {
    // The server is gone.
  }
}

function ask(port: number, reader: Reader): Promise<void> {
  const headers = reader.last === undefined ? {} : { 'last-event-id': reader.last }
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path: reader.path, agent: false, headers }, (response) => {
      const { statusCode = 0 } = response
      if (statusCode === 200) reading.push(follow(response, reader))
      else {
        // All was seen.
        if (statusCode !== 204) refused.push(statusCode)
        reader.isOver = true
        response.resume()
      }
      resolve()
    })
    request.on('error', reject)
  })
}

/** A few at a time: the queue of connections that nobody has taken yet is short. */
async function askAll(port: number, asking: readonly Reader[]): Promise<void> {
  for (let begun = 0; begun < asking.length; begun += 100) {
    await Promise.all(asking.slice(begun, begun + 100).map((reader) => ask(port, reader)))
  }
}

function viewOf({ events }: Reader): string {
  const { before, turns } = reduce(events)
  const own = [...before, ...turns].filter((turn): turn is Turn => turn.role === 'assistant')
  const results = own.flatMap(({ calls }) => calls.flatMap(({ id, result }) => (result ? [[id, result.text]] : [])))
  return JSON.stringify({ texts: own.map(({ text }) => text).filter((text) => text !== ''), results })
}

answering<ReturningQuestion>(async (question) => {
  switch (question.type) {
    case 'open': {
      const { port, path, count } = question
      const opened = Array.from({ length: count }, (): Reader => ({ path, events: [], last: undefined, isOver: false }))
      readers.push(...opened)
      await askAll(port, opened)
      return {}
    }
    case 'lost':
      await Promise.all(reading)
      return {}
    case 'back':
      reading = []
      await askAll(
        question.port,
        readers.filter(({ isOver }) => !isOver),
      )
      return {}
    case 'views': {
      await Promise.all(reading)
      const counts = new Map<string, number>()
      for (const reader of readers) {
        const key = JSON.stringify([reader.path, reader.isOver ? viewOf(reader) : 'not over'])
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      const views = [...counts].map(([key, count]) => {
        const [path, view] = JSON.parse(key) as [string, string]
        return { path, view, count }
      })
      return { views, refused } satisfies Views
    }
    default:
      return question satisfies never
  }
})
