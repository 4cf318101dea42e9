/** Any order of what may happen: whatever was cut, stalled, skipped or killed, each reader ends with the committed view. */
import { type LiveRun, anyResumedRun, anyRun } from '@factwire/conformance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextOf } from '../../conformance/src/encode.ts'
import { callsTaken } from '../../conformance/src/situation.ts'
import { subject as agUi } from '../../ag-ui/test/subject.ts'
import { subjectOf as aiSdkSubject } from '../../ai-sdk/test/subject.ts'
import { subjectOf as messagesSubject } from '../../anthropic-messages/test/subject.ts'
import { subjectOf as chatSubject } from '../../openai-chat/test/subject.ts'
import { subjectOf as responsesSubject } from '../../openai-responses/test/subject.ts'
import { subject as sse } from '../../sse/test/subject.ts'
import type { Limits } from '../src/index.ts'
import { type Action, actionsOf, anyAction, anyCourse } from './actions.ts'
import type { AnySubject } from './judge.ts'
import { type PlayOptions, play } from './model.ts'
import { overlapped } from './overlap.ts'

const seed = Number(process.env['FACTWIRE_SEED'] ?? 20)
const numRuns = Math.ceil(Number(process.env['FACTWIRE_RUNS'] ?? 200) / 6)
const timeout = 600_000
/** What a wire says that takes nothing back, where what was shown is no prefix of the truth. */
const RECONCILIATION = 'stream_reconciliation_failed'
const TINY: Partial<Limits> = { windowBytes: 300, recentFacts: 2, pageFacts: 2, writeBytes: 200, reserveBlock: 8 }

const subjects: readonly (readonly [string, AnySubject])[] = [
  ['sse', sse],
  ['ag-ui', agUi],
  ['openai-chat', chatSubject('7')],
  ['openai-responses', responsesSubject('7')],
  ['anthropic-messages', messagesSubject()],
  ['ai-sdk v6', aiSdkSubject('v6')],
  ['ai-sdk v7', aiSdkSubject('v7')],
]
/** A hub wants fragments of messages that are named. */
const anyMarkedRun = anyRun().filter(({ marked }) => marked)
const anyActions = fc.array(anyAction, { maxLength: 90, size: 'max' })

async function demand(
  wires: readonly [AnySubject, ...AnySubject[]],
  run: LiveRun,
  actions: readonly Action[],
  options: PlayOptions,
): Promise<void> {
  const { views, errors } = await play(wires, run, actions, options)
  for (const { subject, view, truth, told, breaches, code } of views) {
    // What was told stands on both sides: a failure shows it.
    expect({ breaches, told }).toEqual({ breaches: [], told })
    const runs = [run, ...(options.second ? [options.second] : [])]
    const takesBack = runs.some((each) => each.resets || callsTaken(each).size > 0)
    if (code === RECONCILIATION && subject.repairs === false && takesBack) continue
    expect({ view, told }).toEqual({ view: truth, told })
  }
  expect(errors).toEqual([])
}

for (const [name, subject] of subjects) {
  for (const [when, limits] of [
    ['while the window holds all', {}],
    ['behind a window of hardly anything', TINY],
  ] as const) {
    test(
      `${name}: readers that come, stall and go end with the committed view ${when}`,
      async () => {
        await expect(
          fc.assert(
            fc.asyncProperty(anyMarkedRun, anyCourse, (run, course) =>
              demand([subject], run, actionsOf(course, run), { limits }),
            ),
            { seed, numRuns },
          ),
        ).resolves.toBeUndefined()
      },
      timeout,
    )
  }

  for (const over of [undefined, 'killed', 'closed'] as const) {
    test(
      `${name}: in any order of what happens readers end with the committed view${over ? `, and the process of the producer is ${over}` : ''}`,
      async () => {
        await expect(
          fc.assert(
            fc.asyncProperty(anyMarkedRun, anyActions, (run, actions) =>
              demand([subject], run, actions, { limits: TINY, ...(over ? { over } : {}) }),
            ),
            { seed, numRuns },
          ),
        ).resolves.toBeUndefined()
      },
      timeout,
    )
  }
}

for (const [name, subject] of subjects) {
  // To another process clients come back with a number.
  for (const over of subject === sse ? ([undefined, 'killed'] as const) : [undefined]) {
    test(
      `${name}: where the next message is written before a commit has come, readers end with the committed view${over ? `, and the process of the producer is ${over}` : ''}`,
      async () => {
        await expect(
          fc.assert(
            fc.asyncProperty(
              fc
                .tuple(anyMarkedRun, fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 6 }))
                .map(([run, delays]) => overlapped(run, delays)),
              anyCourse,
              (run, course) =>
                demand([subject], run, actionsOf(course, run), { limits: TINY, places: 4, ...(over ? { over } : {}) }),
            ),
            { seed, numRuns },
          ),
        ).resolves.toBeUndefined()
      },
      timeout,
    )
  }
}

test(
  'sse: a stream goes on with the run after it had waited',
  async () => {
    await expect(
      fc.assert(
        fc.asyncProperty(
          anyResumedRun().filter(({ first, second }) => first.marked && second.marked),
          anyCourse,
          ({ first, second }, course) => {
            const whole = { ...first, script: [...first.script, ...second.script] }
            return demand([sse], first, actionsOf(course, whole), { limits: TINY, second })
          },
        ),
        { seed, numRuns },
      ),
    ).resolves.toBeUndefined()
  },
  timeout,
)

for (const [name, given] of subjects.filter(([name]) => name !== 'sse')) {
  // Of two wires one tells who joins of the messages before the run, and nobody else: so its client has them or not.
  const subject: AnySubject = {
    ...given,
    context: (...of) => ({ ...contextOf(given, ...of), history: [] }),
    view: async (...of) => ({ ...(await given.view(...of)), more: undefined }),
  }
  test(
    `${name} beside sse: readers of two wires of one run end with the committed view`,
    async () => {
      await expect(
        fc.assert(
          fc.asyncProperty(anyMarkedRun, anyCourse, (run, course) =>
            demand([subject, sse], run, actionsOf(course, run), { limits: TINY }),
          ),
          { seed, numRuns },
        ),
      ).resolves.toBeUndefined()
    },
    timeout,
  )
}

for (const [name, subject] of subjects.filter(([, { protocol }]) => protocol.resume !== 'none')) {
  test(
    `${name}: whoever was cut off after any frame and comes back ends with the committed view`,
    async () => {
      await expect(
        fc.assert(
          fc.asyncProperty(anyMarkedRun, anyCourse, fc.constantFrom({}, TINY), (run, course, limits) =>
            demand([subject], run, actionsOf(course.slice(0, 4), run), { limits, places: Infinity }),
          ),
          { seed, numRuns: Math.ceil(numRuns / 4) },
        ),
      ).resolves.toBeUndefined()
    },
    timeout,
  )
}
