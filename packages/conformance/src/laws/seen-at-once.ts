/** What is streamed is seen before it is committed: by who was there all the time, and by who joins. */
import { equalJson, type Json } from '@factwire/core'
import fc from 'fast-check'
import { contextOf, encode } from '../encode.ts'
import { type Expected, expectedOf, type Glimpse } from '../glimpse.ts'
import { type Law, LawBroken } from '../law.ts'
import { joinedOf, positionIn } from '../join.ts'
import { tellRun } from '../report.ts'
import { type LiveRun, anyRun } from '../run.ts'
import { joinAt, units } from '../stream.ts'

interface Look {
  readonly run: LiveRun
  /** Where in the script, in thousandths. */
  readonly at: number
  /** By a client that has just joined. */
  readonly joins: boolean
}

export const seenAtOnce: Law<Look> = {
  name: 'seen at once',
  says: 'What is streamed is seen before it is committed, by who was there all the time and by who has just joined.',
  excuse: ({ glimpse }) => (glimpse ? undefined : 'nobody says what its client shows meanwhile'),
  samples: () => fc.record({ run: anyRun(), at: fc.integer({ min: 0, max: 1000 }), joins: fc.boolean() }),
  async check(subject, { run, at, joins }) {
    // Where nothing can be taken back, an attempt is held until it has said again what the last one showed.
    if (subject.repairs === false && run.resets) return 'passed over'
    const position = positionIn(run, at)
    const expected = expectedOf(joinAt(run, position))
    const { body } = joins
      ? encode(subject, run, [], { join: joinedOf(subject, run, position), unclosed: true })
      : encode(subject, run, units(run).slice(0, position).flat(), { unclosed: true })
    const seen = await subject.glimpse?.(body, { run, context: contextOf(subject, run) })
    if (!seen) return 'passed over'
    const missing = partsOf(expected, seen).find(({ enough }) => !enough)
    if (missing) {
      const { what, told, seen: actual } = missing
      throw new LawBroken(`not all of it is seen: ${what}`, {
        streams: { live: body },
        at: what,
        expected: told,
        actual,
      })
    }
    return 'held'
  },
  tell: (_subject, { run, at, joins }) => [
    ...tellRun(run, { kind: 'all' }, false),
    `${joins ? 'joins' : 'looks'} before item ${positionIn(run, at)}`,
  ],
}

interface Part {
  readonly what: string
  readonly told: Json
  /** Undefined where the wire shows no such thing. */
  readonly seen: Json | undefined
  readonly enough: boolean
}

function partsOf(expected: Expected, seen: Glimpse): readonly Part[] {
  return [
    { what: 'text', told: expected.text, seen: seen.text, enough: seen.text?.endsWith(expected.text) ?? true },
    {
      what: 'reasoning',
      told: expected.reasoning,
      seen: seen.reasoning,
      enough: seen.reasoning?.endsWith(expected.reasoning) ?? true,
    },
    ...of('calls', expected.calls, seen.calls, (told, shown) => told === shown),
    // What was printed before the last commit need not be told again.
    ...of('output', expected.output, seen.output, (told, shown) => shown.endsWith(told)),
    ...(expected.state === undefined || !('state' in seen)
      ? []
      : [
          {
            what: 'state',
            told: expected.state,
            seen: seen.state,
            enough: equalJson(expected.state, seen.state ?? null),
          },
        ]),
  ]
}

const of = (
  what: string,
  told: ReadonlyMap<string, string>,
  seen: Readonly<Record<string, string>> | undefined,
  isEnough: (told: string, shown: string) => boolean,
): readonly Part[] =>
  seen === undefined
    ? []
    : [...told].map(([id, text]) => {
        const shown = Object.hasOwn(seen, id) ? seen[id] : undefined
        return { what: `${what}.${id}`, told: text, seen: shown, enough: shown !== undefined && isEnough(text, shown) }
      })
