/** Decoding does not depend on how the network cuts the bytes, on heartbeats, or on messages that are alike: those are not parsed again. */
import type { Json } from '@factwire/core'
import fc from 'fast-check'
import { decodableOf, decodeChunks } from '../decode.ts'
import { encode } from '../encode.ts'
import { type Law, LawBroken } from '../law.ts'
import { cutBytes, singleBytes } from '../messages.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySample, liveEvents } from '../sample.ts'
import { firstDifference } from '../seen.ts'

interface Cut {
  readonly sample: Sample
  /** Where, in thousandths. Empty: after every byte. */
  readonly places: readonly number[]
  /** The wire is idle before every frame. */
  readonly idle: boolean
}

export const sameInPieces: Law<Cut> = {
  name: 'same in pieces',
  says: 'Decoding gives the same events however the bytes are cut, with heartbeats between the frames, and where each message is parsed.',
  excuse: (subject) => (decodableOf(subject) ? undefined : 'the wire is only written'),
  samples: () =>
    fc.record({
      sample: anySample,
      places: fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 12 }),
      idle: fc.boolean(),
    }),
  check(subject, { sample, places, idle }) {
    const protocol = decodableOf(subject)
    if (!protocol) return 'passed over'
    const { body, texts } = encode(subject, sample.run, liveEvents(sample))
    const told = idle ? texts.map((text) => protocol.framing.heartbeat + text).join('') : body
    const length = new TextEncoder().encode(told).length
    const at = places.map((place) => Math.floor((place * length) / 1000))
    const parsing = { ...protocol, framing: { ...protocol.framing, fragments: [] } }
    const whole = decodeChunks(parsing, cutBytes(body, []))
    const pieces = decodeChunks(protocol, at.length > 0 ? cutBytes(told, at) : singleBytes(told))
    const difference = firstDifference(whole as unknown as Json, pieces as unknown as Json)
    if (difference) {
      const { path, expected, actual } = difference
      throw new LawBroken(`the events part at ${path}`, { streams: { live: told }, expected, actual, at: path })
    }
    return 'held'
  },
  tell: (_subject, { sample, places, idle }) => [
    ...tellSample(sample),
    ...(idle ? ['a heartbeat before every frame'] : []),
    places.length > 0 ? `cut at ${places.join(', ')} thousandths` : 'cut after every byte',
  ],
}
