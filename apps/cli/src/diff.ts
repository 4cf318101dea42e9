/** `factwire diff`: two streams, be they of two wires, by what a client ends with after each. */
import { type Difference, differences } from './difference.ts'
import { EVENTS, eventsInput } from './events.ts'
import { guessWire } from './guess.ts'
import { type Input, wireInput } from './input.ts'
import type { Io } from './io.ts'
import { type RunOutcome, runOutcomes } from './outcome.ts'
import type { Output } from './output.ts'
import { openSource } from './source.ts'
import { usageError } from './usage.ts'
import { inputVerdict } from './verdict.ts'
import { shorten, visible } from './visible.ts'
import { readableWire } from './wire.ts'

export interface DiffFlags {
  readonly fromA?: string
  readonly fromB?: string
}

/** More than these nobody reads. */
const MOST = 20
const WIDTH = 160

/** Gives what is wrong: with either stream, or that they differ. */
export async function diff(
  left: string,
  right: string,
  { fromA, fromB }: DiffFlags,
  io: Io,
  out: Output,
): Promise<string | undefined> {
  if (left === '-' && right === '-') throw usageError('only one of the two can be standard input')
  const [ours, theirs] = [await openInput(left, '--from-a', fromA, io), await openInput(right, '--from-b', fromB, io)]
  const tally = { runs: 0, differences: 0 }
  for await (const line of differenceLines(ours, theirs, tally, io.stdout.columns ?? WIDTH)) await out.write(line)
  const bad = inputVerdict(left, ours) ?? inputVerdict(right, theirs)
  if (tally.differences > 0) {
    const differ = `they differ in ${counted(tally.differences, 'place')}`
    return bad === undefined ? differ : `${differ}; ${bad}`
  }
  await out.write(`the same: ${counted(tally.runs, 'run')}\n`)
  return bad
}

/** Both streams are read side by side, one run at a time. */
async function* differenceLines(
  left: Input,
  right: Input,
  tally: { runs: number; differences: number },
  width: number,
): AsyncGenerator<string> {
  const [ours, theirs] = [runOutcomes(left.events), runOutcomes(right.events)]
  for (;;) {
    const [one, other] = [await nextOf(ours), await nextOf(theirs)]
    if (!one && !other) break
    tally.runs++
    const found: readonly Difference[] =
      one && other ? differences(one, other) : [{ at: 'the run', left: told(one), right: told(other) }]
    const before = tally.differences
    tally.differences += found.length
    for (const difference of found.slice(0, Math.max(0, MOST - before))) {
      yield* linesOf(tally.runs, difference, width)
    }
  }
  if (tally.differences > MOST) yield `… and ${tally.differences - MOST} more\n`
}

async function nextOf(runs: AsyncGenerator<RunOutcome>): Promise<RunOutcome | undefined> {
  const { value, done } = await runs.next()
  return done ? undefined : value
}

const told = (run: RunOutcome | undefined): string => run?.status ?? 'is not there'

function linesOf(run: number, { at, left, right }: Difference, width: number): readonly string[] {
  const side = (name: string, text: string): string => `  ${name}  ${shorten(visible(text), Math.max(width - 5, 10))}\n`
  return [`run ${run}, ${visible(at)}\n`, side('a', left), side('b', right)]
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

async function openInput(file: string, flag: string, from: string | undefined, io: Io): Promise<Input> {
  const wire = from === undefined || from === EVENTS ? undefined : await readableWire(from, io.cwd())
  const source = await openSource(file, io.stdin, io.cwd())
  const known = from === undefined ? await guessWire(source, { file, flag }, io.cwd()) : { wire, bytes: source }
  return known.wire ? wireInput(known.wire, known.bytes) : eventsInput(known.bytes)
}
