/** What visitors see in the end, beside what those see who were given just the facts. */
import type { ClientView, LiveRun, Subject } from '@factwire/conformance'
import { type Fact, factEvent } from '@factwire/core'
import { compared, type Comparison } from '../../conformance/src/seen.ts'
import { contextOf, encode } from '../../conformance/src/encode.ts'
import type { Visitor } from './visitor.ts'

export type AnySubject = Subject<unknown>

/** One visitor. */
export interface Judged {
  readonly subject: AnySubject
  readonly view: unknown
  readonly truth: unknown
  readonly told: string
  /** What the wire's grammar has against it. */
  readonly breaches: readonly string[]
  readonly code: string | undefined
}

export interface Course {
  readonly run: LiveRun
  readonly second?: LiveRun
  /** The producer did not get to the end. */
  readonly isOver: boolean
}

export async function judge(
  visitors: readonly Visitor[],
  facts: readonly Fact[],
  course: Course,
): Promise<readonly Judged[]> {
  const subjects = new Set(visitors.map(({ subject }) => subject))
  const judged = await Promise.all(
    [...subjects].map((subject) =>
      judgeThose(
        subject,
        visitors.filter((visitor) => visitor.subject === subject),
        facts,
        course,
      ),
    ),
  )
  return judged.flat()
}

async function judgeThose(
  subject: AnySubject,
  visitors: readonly Visitor[],
  facts: readonly Fact[],
  { run, second, isOver }: Course,
): Promise<readonly Judged[]> {
  const { protocol } = subject
  const context = contextOf(subject, run)
  const events = facts.map(factEvent)
  const waits = second ? facts.findIndex(({ type }) => type === 'awaiting') + 1 : facts.length
  const rest = second ? encode(subject, second, events.slice(waits), { first: run }).body : ''
  const truthBody = encode(subject, run, events.slice(0, waits)).body + rest
  const stage = second ? { run: second, context: contextOf(subject, second, run), first: run } : { run, context }
  const truth = await subject.view(truthBody, stage)
  // What was given up keeps its id where nothing can be taken back.
  const named = subject.repairs !== false || !(run.resets || second?.resets)
  // Who comes in a later segment is told what that has cost, and one page over all of them has seen more.
  const compare = { ids: named, reasoning: false, more: !second || protocol.resume !== 'tail' }
  return Promise.all(
    visitors.map(async ({ before, body, breaches }) => {
      const had = protocol.resume === 'none' || before === '' ? {} : { had: before }
      const view = await subject.view(body, { ...stage, ...had })
      const warnings = view.warnings.filter((warning) => !subject.isBeyondGrammar?.(warning))
      // A document that no commit has told is no fact, and no wire can take it back.
      const told = isOver ? toldIn(truth) : {}
      return {
        subject,
        view: {
          ...Object(shown(view, compare)),
          warnings,
          ...told,
          ...(isOver ? { activities: toldOf(view, truth) } : {}),
        },
        truth: { ...Object(shown(truth, compare)), warnings: [], ...told },
        told: before + '\n=====\n' + body + '\n=== truth\n' + truthBody,
        breaches,
        code: view.code,
      }
    }),
  )
}

const shown = (view: ClientView, compare: Comparison): unknown => ({
  ...Object(compared(view, compare)),
  rejected: view.rejected,
})

const toldIn = ({ state }: ClientView): object => (state === undefined ? { state } : {})

/** Of the activities that somebody sees those that a commit has told of. */
function toldOf({ activities = [] }: ClientView, truth: ClientView): ClientView['activities'] {
  const keys = new Set(truth.activities?.map(keyOf))
  const told = activities.filter((activity) => keys.has(keyOf(activity)))
  return truth.activities && told
}

const keyOf = (activity: object): string => {
  const { content: _, ...rest } = activity as { readonly content?: unknown }
  return JSON.stringify(rest)
}
