/** A client of a wire over all its connections. */
import { readMessages } from '@factwire/conformance'
import { checkGrammar } from '@factwire/core'
import { tellBreach } from '../../conformance/src/check-frames.ts'
import type { AnySubject } from './judge.ts'
import type { Client } from './world.ts'

export interface Visitor {
  readonly subject: AnySubject
  /** Whole frames of connections that are over. */
  had: string
  /** What was had before the connection that is, or was last. */
  before: string
  body: string
  now: Client | undefined
  complete: boolean
  /** What the wire's grammar has against its connections, but those that go on with another. */
  readonly breaches: string[]
}

export const LAST_ID = /(?:^|\n)id: (\d+)\n/g

/** One that has read that much on earlier connections. */
export const comes = (subject: AnySubject, had: string): Visitor => ({
  subject,
  had,
  before: '',
  body: '',
  now: undefined,
  complete: false,
  breaches: [],
})

/** The connection is over, and that has come of it. Half a frame is none. */
export function take(visitor: Visitor, body: string): void {
  const { resume } = visitor.subject.protocol
  const end = body.lastIndexOf('\n\n')
  const whole = end < 0 ? '' : body.slice(0, end + 2)
  visitor.body = body
  if (resume !== 'tail' || visitor.before === '') visitor.breaches.push(...breachesOf(visitor.subject, whole))
  // Who reads one answer after the other as one stream has a position; any other page has at most read one before.
  visitor.had = resume === 'tail' ? visitor.before + whole : resume === 'replay' ? whole : ''
  visitor.now = undefined
}

/** The same client, if its connection had been cut after some frame: so many of these places, evenly. */
export function cutShort({ subject, before, body }: Visitor, places: number): { subject: AnySubject; had: string }[] {
  const { resume } = subject.protocol
  if (resume === 'none') return []
  const whole = resume === 'tail' ? before + body : body
  const ends = [...whole.matchAll(/\n\n/g)].map(({ index }) => index + 2)
  const count = Math.min(places, ends.length)
  return Array.from({ length: count }, (_none, index) => {
    const end = ends[Math.floor(((index + 0.5) * ends.length) / count)]
    return { subject, had: whole.slice(0, end) }
  })
}

/** What a client has read of one response, against the rules of its wire. */
function breachesOf({ protocol }: AnySubject, body: string): string[] {
  const check = checkGrammar(protocol.grammar)
  const frames = readMessages([Buffer.from(body)]).flatMap((message) => protocol.framing.parse(message) ?? [])
  return frames.flatMap((frame) => check.push(frame)).map(tellBreach)
}
