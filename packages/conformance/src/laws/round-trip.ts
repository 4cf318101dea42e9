/** What the fidelity calls exact comes back from the decoder as it was. */
import { equalJson, type Fact, fateOf, type Json } from '@factwire/core'
import { decodableOf, decodeChunks, factsIn } from '../decode.ts'
import { encode } from '../encode.ts'
import { type Law, LawBroken } from '../law.ts'
import { cutBytes } from '../messages.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySample, factEvents } from '../sample.ts'
import { callsTaken } from '../situation.ts'

const same = (one: Fact, other: Fact): boolean => equalJson(one as unknown as Json, other as unknown as Json)

export const roundTrip: Law<Sample> = {
  name: 'round trip',
  says: 'Encoding and decoding gives back, in order, every fact that the fidelity calls exact.',
  excuse: (subject) => (decodableOf(subject) ? undefined : 'the wire is only written'),
  samples: () => anySample.map((sample): Sample => ({ ...sample, disturbance: { kind: 'none' } })),
  check(subject, sample) {
    const protocol = decodableOf(subject)
    const { fidelity } = subject.protocol
    if (!protocol) return 'passed over'
    const given = factsIn(factEvents(sample))
    const { body } = encode(subject, sample.run, factEvents(sample))
    const read = factsIn(decodeChunks(protocol, cutBytes(body, [])))
    const taken = callsTaken(sample.run)
    let from = 0
    for (const fact of given) {
      if (fateOf(fidelity, fact).kept !== 'exact') continue
      // Whose client runs what it is told of may tell such a call as what has become of it.
      if (fact.type === 'tool_call' && fact.disposition === 'pending_client' && taken.has(fact.id)) continue
      const found = read.findIndex((other, index) => index >= from && same(fact, other))
      if (found === -1) {
        throw new LawBroken(`a ${fact.type} does not come back, or not in its place`, {
          streams: { facts: body },
          expected: fact as unknown as Json,
          actual: read.slice(from).filter(({ type }) => type === fact.type) as unknown as Json,
        })
      }
      from = found + 1
    }
    return 'held'
  },
  tell: (_subject, sample) => tellSample(sample),
}
