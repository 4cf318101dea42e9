/** `factwire inspect`: any stream as a timeline. */
import { colorsFor } from './colors.ts'
import { EVENTS, eventsInput } from './events.ts'
import { guessWire } from './guess.ts'
import { wireInput } from './input.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'
import { openSource } from './source.ts'
import { timeline } from './timeline.ts'
import { inputVerdict } from './verdict.ts'
import { readableWire } from './wire.ts'

export interface InspectFlags {
  readonly from?: string
}

/** Gives what is wrong with what was read. */
export async function inspect(file: string, { from }: InspectFlags, io: Io, out: Output): Promise<string | undefined> {
  const wire = from === undefined || from === EVENTS ? undefined : await readableWire(from, io.cwd())
  const source = await openSource(file, io.stdin, io.cwd())
  const known =
    from === undefined
      ? await guessWire(source, { file, flag: '--from' }, io.cwd())
      : { name: from, wire, bytes: source }

  const colors = colorsFor(io)
  const input = known.wire ? wireInput(known.wire, known.bytes) : eventsInput(known.bytes)
  await out.write(colors.dim(`read as ${known.name}${from === undefined ? ', the only wire that fits' : ''}`) + '\n\n')
  const look = { colors, width: io.stdout.columns ?? 160 }
  for await (const line of timeline(input.events, input.run, look)) await out.write(line)
  return inputVerdict(file, input)
}
