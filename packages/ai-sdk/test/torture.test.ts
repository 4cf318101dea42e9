import { decodeChunks, outcomeOf, torture } from '@factwire/conformance'
import { aiSdk } from '../src/index.ts'
import { speaker } from './speaker.ts'

torture({ name: aiSdk.name, speaker, decode: (chunks) => outcomeOf(decodeChunks(aiSdk, chunks)) })
