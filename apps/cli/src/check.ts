/** `factwire check`: a stream held against the grammar of its wire. */
import {
  type Breach,
  type Grammar,
  type GrammarCheck,
  type RuleForce,
  FactwireError,
  checkGrammar,
} from '@factwire/core'
import { readSse } from '@factwire/sse'
import { guessWire } from './guess.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'
import { type Bytes, openSource, sourceName } from './source.ts'
import { usageError } from './usage.ts'
import { visible } from './visible.ts'
import { type Wire, anyWire } from './wire.ts'

export interface CheckFlags {
  readonly wire?: string
}

/** Gives how much is wrong. */
export async function check(file: string, flags: CheckFlags, io: Io, out: Output): Promise<string | undefined> {
  const named = flags.wire === undefined ? undefined : await anyWire(flags.wire, io.cwd())
  const source = await openSource(file, io.stdin, io.cwd())
  const { wire, name, bytes } = named
    ? { wire: named, name: named.name, bytes: source }
    : await guessWire(source, { file, flag: '--wire' }, io.cwd())
  const { grammar, framing } = wire ?? {}
  if (!grammar || !framing) throw usageError(`the wire '${name}' has no grammar, so there is nothing to check by`)

  let found = 0
  const count = { frames: 0 }
  for await (const line of breachLines(bytes, { grammar, framing }, count)) {
    found++
    await out.write(line)
  }
  if (found > 0) return `${sourceName(file)}: ${found} ${found === 1 ? 'breach' : 'breaches'} of the rules of ${name}`
  await out.write(
    `good: ${count.frames} ${count.frames === 1 ? 'frame' : 'frames'} of ${name}, and no rule is broken\n`,
  )
  return undefined
}

type Ruled = Pick<Wire, 'framing'> & { readonly grammar: Grammar<unknown> }

/** A line for each breach, as it comes. What follows an end and begins a run of its own is checked as one. */
async function* breachLines(
  bytes: Bytes,
  { grammar, framing }: Ruled,
  count: { frames: number },
): AsyncGenerator<string> {
  let run = checkGrammar(grammar)
  /** Frames before the run that is checked. */
  let before = 0
  const tell = (breaches: readonly Breach[]): string[] => breaches.map((breach) => breachLine(breach, before))

  for await (const message of readSse(bytes)) {
    let frame: unknown
    try {
      frame = framing.parse(message)
    } catch (error) {
      yield unreadableLine(count.frames, message.cut === true, error)
      // A frame it was meant to be, and the numbers count it.
      count.frames++
      before++
      continue
    }
    if (frame === undefined) continue
    const ended = run.ended() !== undefined
    const breaches = run.push(frame)
    const next = ended && breaches.length > 0 ? begun(grammar, frame) : undefined
    if (next) {
      // The run before had its end; what only the end of the input would show is told of the last one.
      run = next
      before = count.frames
    } else yield* tell(breaches)
    count.frames++
  }
  yield* tell(run.end())
}

/** The check of another run that begins with this frame, if it may. */
function begun(grammar: Grammar<unknown>, frame: unknown): GrammarCheck<unknown> | undefined {
  const fresh = checkGrammar(grammar)
  return fresh.push(frame).length === 0 ? fresh : undefined
}

const FORCES: Readonly<Record<RuleForce, string>> = {
  rejected: 'the client gives the stream up',
  warned: 'the client complains and goes on',
  demanded: 'a client takes it',
}

/** People count frames from 1. */
function breachLine({ frame, rule, says, force, see, item, state, input }: Breach, before: number): string {
  const where = `frame ${before + frame + 1}`
  const why = `${says} (${FORCES[force]}; ${item} was ${state}, then came ${input}; see ${see})`
  return `${where}  ${rule}  ${visible(why)}\n`
}

function unreadableLine(frames: number, cut: boolean, error: unknown): string {
  if (!(error instanceof Error)) throw error
  const where = `frame ${frames + 1}`
  if (cut) return `${where}  cut  The stream ends inside it.\n`
  return `${where}  ${error instanceof FactwireError ? error.code : 'malformed_frame'}  ${visible(error.message)}\n`
}
