/** What is streamed is seen before it is committed: by who was there all the time, and by who joins. */
import { equalJson, type Json } from '@factwire/core'
import fc from 'fast-check'
import { contextOf, encode } from '../encode.ts'
import { type Expected, expectedOf, type Glimpse, type Glimpsing } from '../glimpse.ts'
import { type Law, LawBroken } from '../law.ts'
import { joinedOf, positionIn } from '../join.ts'
import { tellRun } from '../report.ts'
import { type LiveRun, anyRun } from '../run.ts'
import type { SeenActivity } from '../seen.ts'
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
    const { glimpse } = subject
    if (!glimpse) return 'passed over'
    const seen = await glimpse.read(body, { run, context: contextOf(subject, run) })
    if (seen.busy) return 'passed over'
    const missing = partsOf(heldOf(expected, glimpse), seen).find(
      ({ of, enough }) => glimpse.shows.includes(of) && !enough,
    )
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

type Shown = Exclude<keyof Glimpse, 'busy'>

interface Part {
  readonly of: Shown
  readonly what: string
  readonly told: Json
  readonly seen: Json | undefined
  readonly enough: boolean
}

/** As its client can hold it. */
function heldOf(expected: Expected, { holds }: Glimpsing): Expected {
  if (!holds) return expected
  const { state, activities } = expected
  return {
    ...expected,
    state: state === undefined ? undefined : holds(state),
    activities: activities.map((activity) => ({ ...activity, content: holds(activity.content) })),
  }
}

function partsOf({ text, reasoning, calls, output, state, activities }: Expected, seen: Glimpse): readonly Part[] {
  return [
    said('text', text, seen.text),
    said('reasoning', reasoning, seen.reasoning),
    ...byCall('calls', calls, seen.calls, (told, shown) => told === shown),
    // What was printed before the last commit need not be told again.
    ...byCall('output', output, seen.output, (told, shown) => shown.endsWith(told)),
    ...(state === undefined ? [] : [patched(state, seen.state)]),
    ...activities.map((activity) => changed(activity, seen.activities)),
  ]
}

const said = (of: 'text' | 'reasoning', told: string, seen: string | undefined): Part => ({
  of,
  what: of,
  told,
  seen,
  enough: seen?.endsWith(told) ?? false,
})

const byCall = (
  of: 'calls' | 'output',
  told: ReadonlyMap<string, string>,
  shown: Readonly<Record<string, string>> = {},
  isEnough: (told: string, seen: string) => boolean,
): readonly Part[] =>
  [...told].map(([id, text]) => {
    const seen = Object.hasOwn(shown, id) ? shown[id] : undefined
    return { of, what: `${of}.${id}`, told: text, seen, enough: seen !== undefined && isEnough(text, seen) }
  })

function changed({ message_id, activity_type, content }: SeenActivity, shown: readonly SeenActivity[] = []): Part {
  const seen = shown.find((other) => other.message_id === message_id && other.activity_type === activity_type)?.content
  const enough = seen !== undefined && equalJson(content, seen)
  return { of: 'activities', what: `activities.${message_id}`, told: content, seen, enough }
}

const patched = (told: Json, seen: Json | undefined): Part => ({
  of: 'state',
  what: 'state',
  told,
  seen,
  enough: seen !== undefined && equalJson(told, seen),
})
