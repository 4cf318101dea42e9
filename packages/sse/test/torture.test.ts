import { decodeChunks, outcomeOf, torture } from '@factwire/conformance'
import { sse } from '../src/index.ts'
import { speaker } from './speaker.ts'

torture({ name: sse.name, speaker, decode: (chunks) => outcomeOf(decodeChunks(sse, chunks)) })
