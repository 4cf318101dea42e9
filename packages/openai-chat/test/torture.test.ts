import { decodeChunks, outcomeOf, torture } from '@factwire/conformance'
import { openaiChat } from '../src/index.ts'
import { speaker } from './speaker.ts'

torture({ name: openaiChat.name, speaker, decode: (chunks) => outcomeOf(decodeChunks(openaiChat, chunks)) })
