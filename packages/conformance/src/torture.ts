/** One test for each thing that providers and networks do to a stream: for any decoder, ours or not. */
import { test } from 'vitest'
import type { Excused } from './conform.ts'
import { singleBytes } from './messages.ts'
import { calls } from './torture/calls.ts'
import { type Torture, bytesOf } from './torture/case.ts'
import { ends } from './torture/ends.ts'
import { type Outcome, differenceFrom } from './torture/outcome.ts'
import type { Speaker } from './torture/speaker.ts'
import { words } from './torture/words.ts'

export interface TortureSubject {
  readonly name: string
  /** A speaker of the decoder's wire, for each stream anew. */
  speaker(): Speaker
  /** Reads a whole stream. A decoder that throws has failed, and says so here. */
  decode(chunks: Iterable<Uint8Array>): Outcome | Promise<Outcome>
}

export const tortures: readonly Torture[] = [...ends, ...calls, ...words]

/** Why a decoder does not endure it, in words; undefined where it does, `skipped` where its wire has no words for it. */
export async function endure(
  { name, stream, expects }: Torture,
  { speaker, decode }: TortureSubject,
): Promise<{ readonly skipped: boolean; readonly fault?: string }> {
  const say = speaker()
  const told = stream(say)
  if (told === undefined) return { skipped: true }
  const expected = typeof expects === 'function' ? expects(say) : expects
  const ways =
    typeof told === 'string' ? { whole: [bytesOf(told)], 'byte by byte': singleBytes(told) } : { 'in chunks': told }
  for (const [way, chunks] of Object.entries(ways)) {
    const difference = differenceFrom(expected, await decode(chunks))
    if (difference === undefined) continue
    const body = typeof told === 'string' ? told : chunks.map((chunk) => new TextDecoder().decode(chunk)).join('')
    return { skipped: false, fault: `${name}, read ${way}: ${difference}\n\n${body}` }
  }
  return { skipped: false }
}

/** Defines the tests. */
export function torture(subject: TortureSubject): void {
  for (const each of tortures) {
    const title = `${subject.name}: torture: ${each.name}`
    if (each.stream(subject.speaker()) === undefined) {
      // What a wire cannot say is seen as such.
      const excused: Excused = { protocol: subject.name, torture: each.name, why: 'the wire has no words for it' }
      test.skip(title, { meta: { excused } }, () => {})
      continue
    }
    test(title, async () => {
      const { fault } = await endure(each, subject)
      if (fault !== undefined) throw new Error(fault)
    })
  }
}
