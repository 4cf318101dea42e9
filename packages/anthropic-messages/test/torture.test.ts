import { decodeChunks, outcomeOf, torture } from '@factwire/conformance'
import { anthropicMessages } from '../src/index.ts'
import { speaker } from './speaker.ts'

torture({
  name: anthropicMessages.name,
  speaker,
  decode: (chunks) => outcomeOf(decodeChunks(anthropicMessages, chunks)),
})
