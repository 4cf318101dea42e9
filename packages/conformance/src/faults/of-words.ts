/** Faults of a decoder, and of what a protocol says of itself. */
import { exact, type Fidelity, type Grammar, isCommit, type Rule } from '@factwire/core'
import type { Fault } from '../fault.ts'

export const wordFaults: readonly Fault[] = [
  {
    name: 'a stream that was cut is read as finished',
    law: 'cut anywhere',
    sabotage(subject) {
      const { decoder } = subject.protocol
      if (!decoder) return undefined
      return {
        ...subject,
        protocol: {
          ...subject.protocol,
          decoder(options) {
            const inner = decoder(options)
            return {
              ...inner,
              end: (failure) =>
                inner
                  .end(failure)
                  .map((commit) => ({ ...commit, state: { type: 'ended', cause: { type: 'natural_end' } } })),
            }
          },
        },
      }
    },
  },
  {
    name: 'a decoder remembers the stream before',
    law: 'same in pieces',
    sabotage(subject) {
      const { decoder } = subject.protocol
      if (!decoder) return undefined
      let streams = 0
      return {
        ...subject,
        protocol: {
          ...subject.protocol,
          decoder(options) {
            const inner = decoder(options)
            const stale = streams++ % 2 === 1
            return { ...inner, push: (frame) => inner.push(frame).filter((item) => !stale || isCommit(item)) }
          },
        },
      }
    },
  },
  {
    name: 'a heartbeat runs into the frame behind it',
    law: 'same in pieces',
    sabotage: (subject) => ({
      ...subject,
      protocol: { ...subject.protocol, framing: { ...subject.protocol.framing, heartbeat: ': heartbeat' } },
    }),
  },
  {
    name: 'it calls everything exact',
    law: 'round trip',
    sabotage(subject) {
      const { fidelity } = subject.protocol
      if (Object.values(fidelity).every((entry) => 'kept' in entry && entry.kept === 'exact')) {
        return undefined
      }
      const all = Object.fromEntries(Object.keys(fidelity).map((type) => [type, exact])) as unknown as Fidelity
      return { ...subject, protocol: { ...subject.protocol, fidelity: all } }
    },
  },
  {
    name: 'its grammar calls demanded what the client rejects',
    law: 'grammar',
    sabotage: (subject) => withRules(subject.protocol.grammar, 'rejected', 'demanded', subject),
  },
  {
    name: 'its grammar calls rejected what the client takes',
    law: 'grammar',
    sabotage: (subject) => withRules(subject.protocol.grammar, 'demanded', 'rejected', subject),
  },
]

function withRules(
  grammar: Grammar<unknown>,
  from: Rule['force'],
  to: Rule['force'],
  subject: Parameters<Fault['sabotage']>[0],
): ReturnType<Fault['sabotage']> {
  if (!Object.values(grammar.rules).some(({ force }) => force === from)) return undefined
  const rules = Object.fromEntries(
    Object.entries(grammar.rules).map(([id, rule]) => [id, { ...rule, force: rule.force === from ? to : rule.force }]),
  )
  return { ...subject, protocol: { ...subject.protocol, grammar: { ...grammar, rules } } }
}
