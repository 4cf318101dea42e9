/** The beginning of a stream in, the wire it can only be out. */
import { type Decodable, type WireMessage, isCommit, parseEventText } from '@factwire/core'
import { readSse } from '@factwire/sse'
import { EVENTS } from './events.ts'
import { type Bytes, peek, sourceName } from './source.ts'
import { usageError } from './usage.ts'
import { type Readable, readableWires } from './wire.ts'

export interface Guess {
  readonly name: string
  /** Undefined for the neutral wire. */
  readonly wire: Readable | undefined
  /** The whole stream, its beginning included. */
  readonly bytes: Bytes
}

/** What a complaint says: which stream it is, and with which flag its wire is said. */
export interface Asked {
  readonly file: string
  readonly flag: string
}

/**
 * Asks every installed wire what it makes of the first message.
 *
 * @throws CommanderError when not exactly one says yes.
 */
export async function guessWire(source: Bytes, { file, flag }: Asked, cwd: string): Promise<Guess> {
  const { found: message, bytes } = await peek(source, firstMessage)
  if (!message) {
    throw usageError(`${sourceName(file)}: there is nothing to tell the wire by; say it with ${flag} <wire>`)
  }
  if (message.stray && succeeds(() => parseEventText(message.data) !== undefined))
    return { name: EVENTS, wire: undefined, bytes }
  const wires = await readableWires(cwd)
  const [wire, ...others] = wires.filter((candidate) => succeeds(() => understands(candidate, message)))
  if (wire && others.length === 0) return { name: wire.name, wire, bytes }
  const names = wire
    ? `more than one wire (${[wire, ...others].map(({ name }) => name).join(', ')})`
    : 'no installed wire'
  throw usageError(`${sourceName(file)}: the first message fits ${names}; say which it is with ${flag} <wire>`)
}

/** Undefined too where the beginning cannot even be cut into messages: then no wire fits. */
async function firstMessage(bytes: Bytes): Promise<WireMessage | undefined> {
  try {
    const { value, done } = await readSse(bytes).next()
    return done ? undefined : value
  } catch {
    return undefined
  }
}

/** Whether the message says anything on this wire: content, or whose run it is. Wires accept much that says nothing to them. */
function understands({ framing, decoder: create }: Decodable<unknown>, message: WireMessage): boolean {
  const frame = framing.parse(message)
  if (frame === undefined) return false
  const decoder = create()
  const items = decoder.push(frame)
  return items.some((item) => !isCommit(item) || item.messages.length > 0) || Object.keys(decoder.run()).length > 0
}

function succeeds(attempt: () => boolean): boolean {
  try {
    return attempt()
  } catch {
    return false
  }
}
