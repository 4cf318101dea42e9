import { decodeChunks, outcomeOf, torture } from '@factwire/conformance'
import { openaiResponses } from '../src/index.ts'
import { speaker } from './speaker.ts'

torture({ name: openaiResponses.name, speaker, decode: (chunks) => outcomeOf(decodeChunks(openaiResponses, chunks)) })
