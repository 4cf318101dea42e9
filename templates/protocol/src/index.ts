/** Agent runs on the wire new-wire, both ways. */
import type { Protocol } from '@factwire/core'
import { decoder } from './decoder.ts'
import { fidelity } from './fidelity.ts'
import { framing } from './framing.ts'
import { grammar } from './grammar.ts'
import { transcoder } from './transcoder.ts'
import type { Frame } from './wire.ts'

export const newWire: Protocol<Frame, undefined> = {
  name: 'new-wire',
  framing,
  resume: 'replay',
  transcoder,
  decoder,
  fidelity,
  grammar,
}

export { decoder, fidelity, framing, grammar, transcoder }
export type {
  CallFrame,
  DropFrame,
  EndFrame,
  ErrorFrame,
  Frame,
  MessageFrame,
  ResultFrame,
  Runner,
  StartFrame,
  TextFrame,
  Waiting,
} from './wire.ts'
