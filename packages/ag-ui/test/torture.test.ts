import { decodeChunks, outcomeOf, torture } from '@factwire/conformance'
import { agUi } from '../src/index.ts'
import { speaker } from './speaker.ts'

torture({ name: agUi.name, speaker, decode: (chunks) => outcomeOf(decodeChunks(agUi, chunks)) })
