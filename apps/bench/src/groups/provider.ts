/** What it costs to read a model provider: chat completion chunks, in pieces of 16 KiB, to fragments. */
import { claims, compare } from '../compare.ts'
import { decoder } from '../decoder.ts'
import { textFragments } from '../fragments.ts'
import { openaiStream } from '../peers/openai.ts'
import { providerText } from '../provider.ts'
import { atLeast, merged, type Report } from '../report.ts'
import type { Setting } from '../setting.ts'
import { isReadable } from '../wires.ts'
import { besideLimit } from './decode.ts'

export async function run({ wires, quick, rounds, slowRounds }: Setting): Promise<Report> {
  const wire = wires.find(({ name }) => name === 'openai-chat')
  if (!wire || !isReadable(wire)) throw new Error('nothing here reads chat completion chunks')
  const stream = providerText(textFragments(quick ? 5000 : 20_000, 1))
  const ours = decoder(wire, stream)
  const limited = await besideLimit('read a provider', stream, [ours], 1.5, { rounds })
  const peer = openaiStream(stream)
  const comparison = {
    title: 'read a provider',
    events: stream.messages,
    contenders: [ours, peer],
    claims: claims([ours], [peer], atLeast(3)),
  }
  return merged([limited, await compare(comparison, slowRounds)])
}
