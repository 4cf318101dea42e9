/** A stream that is cut, after any frame or byte, never looks like success to a client or to a decoder. */
import { checkGrammar, type Grammar } from '@factwire/core'
import { decodableOf, decodeChunks, factsIn } from '../decode.ts'
import { encode, type Encoded } from '../encode.ts'
import { type Law, LawBroken } from '../law.ts'
import { cutBytes, readMessages } from '../messages.ts'
import { tellSample } from '../report.ts'
import { type Sample, anySegment, liveEvents, placeIn } from '../sample.ts'
import { stageOf } from '../stage.ts'

export const cutAnywhere: Law<Sample> = {
  name: 'cut anywhere',
  says: 'A stream that is cut after any frame or byte before its end is no success, to its client or to its decoder.',
  samples: () => anySegment,
  async check(subject, sample) {
    const { grammar } = subject.protocol
    const live = encode(subject, sample.run, liveEvents(sample), sample.first ? { first: sample.first } : {})
    const bytes = cutBytes(live.body, [])[0] ?? new Uint8Array()
    const kept = bytes.subarray(0, placeIn(sample, bytes.length))
    const cut = new TextDecoder().decode(kept)
    if (cut.length >= lengthUntilSuccess(grammar, live)) return 'passed over'
    // Of a run that goes on nothing has come: it still waits, as its client says.
    if (sample.first && readMessages([kept]).length === 0) return 'passed over'
    const streams = { cut }
    const view = await subject.view(cut, stageOf(subject, sample))
    if (view.status === 'finished' || view.status === 'waiting') {
      throw new LawBroken(`a client takes it as ${view.status}`, { streams })
    }
    const protocol = decodableOf(subject)
    const last = protocol ? factsIn(decodeChunks(protocol, [kept])).at(-1) : undefined
    if (last && last.type !== 'run_failed') throw new LawBroken(`the decoder ends it as ${last.type}`, { streams })
    return 'held'
  },
  tell: (_subject, sample) => [...tellSample(sample), `cut at ${sample.at} thousandths of the bytes`],
}

/** How much of the text must be there before anybody may take the run as anything but a failure. */
function lengthUntilSuccess<Frame>(grammar: Grammar<Frame>, { frames, texts }: Encoded<Frame>): number {
  const check = checkGrammar(grammar)
  let length = 0
  for (const [index, frame] of frames.entries()) {
    const own = texts[index] ?? ''
    check.push(frame)
    if (check.ended() !== undefined && check.ended() !== 'failed') return length + own.trimEnd().length
    length += own.length
  }
  return Infinity
}
