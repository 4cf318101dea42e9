/** Many readers of one run, in a process of their own, so that what they cost is not the server's. */
import { createHash } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { answering } from './children.ts'

export type ReadingQuestion =
  /** Opens so many, and answers when each has its headers. */
  | { readonly type: 'open'; readonly port: number; readonly path: string; readonly count: number }
  /** Answers when all that are open have come to an end. */
  | { readonly type: 'seen' }
  | { readonly type: 'close' }

export interface Seen {
  readonly p50: number
  readonly p99: number
  readonly deliveries: number
  /** How many readers did not come to the end of the run, and how many have another text than the first. */
  readonly cut: number
  readonly different: number
}

let responses: IncomingMessage[] = []
let waits: number[] = []
let texts: string[] = []
let ended = 0
let finished = 0
let over: () => void = () => undefined
let all: Promise<void> = Promise.resolve()

function follow(response: IncomingMessage, count: number): void {
  const text = createHash('sha256')
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (piece: string) => {
    const now = Date.now()
    const given = rest + piece
    const end = given.lastIndexOf('\n\n') + 2
    rest = given.slice(end)
    const frames = given.slice(0, end)
    // The end says all of it again.
    for (const [, words = ''] of frames.matchAll(/"delta":"([^"]*)"/g)) {
      text.update(words)
      for (const [, said] of words.matchAll(/@(\d{13}) x/g)) waits.push(now - Number(said))
    }
    if (frames.includes('"run_finish"')) finished++
  })
  response.on('close', () => {
    texts.push(text.digest('hex'))
    if (++ended === count) over()
  })
}

answering<ReadingQuestion>(async (question) => {
  switch (question.type) {
    case 'open': {
      const { port, path, count } = question
      responses = []
      waits = []
      texts = []
      ended = 0
      finished = 0
      all = new Promise((resolve) => {
        over = resolve
      })
      // A few at a time: the queue of connections that nobody has taken yet is short.
      for (let begun = 0; begun < count; begun += 100) {
        await Promise.all(Array.from({ length: Math.min(100, count - begun) }, () => openOne(port, path, count)))
      }
      return {}
    }
    case 'seen': {
      await all
      waits.sort((a, b) => a - b)
      const at = (share: number): number => waits[Math.floor(share * (waits.length - 1))] ?? 0
      const different = texts.filter((text) => text !== texts[0]).length
      const seen: Seen = {
        p50: at(0.5),
        p99: at(0.99),
        deliveries: waits.length,
        cut: texts.length - finished,
        different,
      }
      return seen
    }
    case 'close':
      for (const response of responses) response.destroy()
      return {}
    default:
      return question satisfies never
  }
})

function openOne(port: number, path: string, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`a reader got ${response.statusCode}`))
      responses.push(response)
      follow(response, count)
      resolve()
    }).on('error', reject)
  })
}
