/** A wire's text read back by its decoder. */
import { type AgentEvent, type Decodable, type Fact, type WireMessage, reader } from '@factwire/core'
import { readMessages } from './messages.ts'
import type { Subject } from './subject.ts'

/** The decoder's half of a subject; undefined where its wire is only written. */
export function decodableOf<Frame>({ protocol }: Subject<Frame>): Decodable<Frame> | undefined {
  const { name, framing, decoder } = protocol
  return decoder ? { name, framing, decoder } : undefined
}

export function decodeMessages<Frame>(protocol: Decodable<Frame>, messages: Iterable<WireMessage>): AgentEvent[] {
  const { push, end } = reader(protocol, { reasoning: 'text' })
  const events: AgentEvent[] = []
  for (const message of messages) events.push(...push(message))
  return [...events, ...end()]
}

export const decodeChunks = <Frame>(protocol: Decodable<Frame>, chunks: Iterable<Uint8Array>): AgentEvent[] =>
  decodeMessages(protocol, readMessages(chunks))

export const factsIn = (events: readonly AgentEvent[]): Fact[] =>
  events.flatMap(({ tier, event }) => (tier === 'fact' ? [event] : []))
