/** A stream that is cut, after any frame or byte, never looks like success to a client or to a decoder. */
import { checkGrammar, type Grammar } from '@factwire/core'
import { decodableOf, decodeChunks, factsIn } from '../decode.ts'
import { encode, type Encoded } from '../encode.ts'
import { type Law, LawBroken, type Verdict } from '../law.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySegment, liveEvents } from '../sample.ts'
import { stageOf } from '../stage.ts'

export const cutAnywhere: Law<Sample> = {
  name: 'cut anywhere',
  says: 'A stream that is cut after any frame or byte before its end is no success, to its client or to its decoder.',
  samples: () => anySegment,
  // Each is cut in some hundred places.
  share: 0.05,
  async check(subject, sample): Promise<Verdict> {
    const { grammar } = subject.protocol
    const { first } = sample
    const live = encode(subject, sample.run, liveEvents(sample), first ? { first } : {})
    const bytes = new TextEncoder().encode(live.body)
    const ends = Math.min(bytes.length, lengthUntilSuccess(grammar, live))
    // Of a run that goes on nothing has come: it still waits, as its client says.
    const begins = first ? (frameEnds(live)[0] ?? 0) : 0
    const stage = stageOf(subject, sample)
    for (const length of spread(frameEnds(live), MOST_VIEWS)) {
      // After the frame, and within the next one.
      for (const cut of [length, length + 1 + (sample.at % 50)]) {
        if (cut < begins || cut >= ends) continue
        const kept = decoded(bytes.subarray(0, cut))
        const { status } = await subject.view(kept, stage)
        if (status === 'finished' || status === 'waiting') {
          throw new LawBroken(`a client takes it as ${status}`, { streams: { cut: kept } })
        }
      }
    }
    const protocol = decodableOf(subject)
    if (!protocol) return 'held'
    for (const cut of spread(
      Array.from({ length: ends }, (_, index) => index),
      MOST_DECODED,
    )) {
      const last = factsIn(decodeChunks(protocol, [bytes.subarray(0, cut)])).at(-1)
      if (last && last.type !== 'run_failed') {
        throw new LawBroken(`the decoder ends it as ${last.type}`, {
          streams: { cut: decoded(bytes.subarray(0, cut)) },
        })
      }
    }
    return 'held'
  },
  tell: (_subject, sample) => [
    ...tellSample(sample),
    'cut after every frame, within every frame, and after every byte',
  ],
}

/** Longer streams are cut in as many places, the last ones among them. */
const MOST_VIEWS = 40
const MOST_DECODED = 400

function spread(places: readonly number[], most: number): readonly number[] {
  if (places.length <= most) return places
  const half = most >> 1
  const step = (places.length - half) / half
  return [...Array.from({ length: half }, (_, index) => places[Math.floor(index * step)] ?? 0), ...places.slice(-half)]
}

/** Where each frame ends, in bytes. */
function frameEnds<Frame>({ texts }: Encoded<Frame>): readonly number[] {
  const encoder = new TextEncoder()
  let length = 0
  return texts.map((text) => (length += encoder.encode(text).length))
}

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** How many bytes must be there before anybody may take the run as anything but a failure. */
function lengthUntilSuccess<Frame>(grammar: Grammar<Frame>, live: Encoded<Frame>): number {
  const check = checkGrammar(grammar)
  const ends = frameEnds(live)
  for (const [index, frame] of live.frames.entries()) {
    check.push(frame)
    if (check.ended() === undefined || check.ended() === 'failed') continue
    // The empty line behind it adds nothing.
    const text = live.texts[index] ?? ''
    return (ends[index] ?? 0) - (text.length - text.trimEnd().length)
  }
  return Infinity
}
