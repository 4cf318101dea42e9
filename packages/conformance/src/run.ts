/**
 * Runs as a producer would give them, generated: commits, and before each commit the deltas of what it commits. What a
 * transport may do to the deltas is in `disturb.ts`.
 */
import type { Commit, Delta, Message, RunContext, Standing } from '@factwire/core'
import fc from 'fast-check'
import { build } from './build.ts'
import { resultOf } from './message.ts'
import { anyCause, anyResult, anyStep } from './plan.ts'

export type ScriptItem = { readonly delta: Delta } | { readonly commit: Commit }

export interface LiveRun {
  readonly run: RunContext
  readonly script: readonly ScriptItem[]
  /** Deltas carry the id of their message and where they start. */
  readonly marked: boolean
  /** The producer took deltas back, so that some of them are in no commit. */
  readonly resets: boolean
  /** Where the thread stands before it, and after it. */
  readonly before: Standing
  readonly after: Standing
}

export interface RunOptions {
  /** Tool ids repeat over steps. Default false. */
  readonly repeatIds?: boolean
}

/** One segment: steps, then an end. */
export function anyRun({ repeatIds = false }: RunOptions = {}): fc.Arbitrary<LiveRun> {
  return fc
    .record({
      steps: fc.array(anyStep, { maxLength: 4 }),
      end: fc.oneof({ weight: 3, arbitrary: anyCause.map((cause) => ({ cause })) }, fc.constant({ awaiting: true })),
      marked: fc.boolean(),
      partial: fc.boolean(),
    })
    .map(({ steps, end, marked, partial }) => build(steps, end, { marked, partial, repeatIds }))
}

/** A run that waits for somebody, and the segment in which it goes on once they have answered. */
export interface ResumedRun {
  readonly first: LiveRun
  readonly second: LiveRun
}

export function anyResumedRun(): fc.Arbitrary<ResumedRun> {
  return fc
    .record({
      steps: fc.array(anyStep, { minLength: 1, maxLength: 2 }),
      more: fc.array(anyStep, { maxLength: 2 }),
      cause: anyCause,
      answers: fc.array(anyResult, { minLength: 1, maxLength: 5 }),
      marked: fc.boolean(),
    })
    .map(({ steps, more, cause, answers, marked }) => {
      const first = build(steps, { awaiting: true }, { marked })
      const messages = first.after.openCalls.map(({ id }, index): Message => {
        const answer = answers[index % answers.length]
        return { id: `tool-${id}`, role: 'tool', content: answer ? [resultOf(answer, id)] : [] }
      })
      return { first, second: build(more, { cause }, { marked, before: first.after, messages, from: steps.length }) }
    })
}
