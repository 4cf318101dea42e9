/**
 * Runs as a producer would give them, generated: commits, and before each commit the deltas of what it commits. What a
 * transport may do to the deltas is in `disturb.ts`.
 */
import type { Commit, Delta, Json, Message, RunContext, Standing } from '@factwire/core'
import fc from 'fast-check'
import { anyCause, anyContext, anyMarks, anyPlan, anyResult, anyStep } from './any-plan.ts'
import { build } from './build.ts'
import { resultOf } from './message.ts'
import type { Marks, Repeats, RunPlan } from './plan.ts'
import { rarely } from './values.ts'

export type ScriptItem = { readonly delta: Delta } | { readonly commit: Commit }

export interface LiveRun {
  readonly run: RunContext
  readonly script: readonly ScriptItem[]
  readonly marks: Marks
  /** Deltas carry both the id of their message and where they start. */
  readonly marked: boolean
  /** The producer took deltas back, so that some of them are in no commit. */
  readonly resets: boolean
  /** Where the thread stands before it, and after it. */
  readonly before: Standing
  readonly after: Standing
  /** The agent's state after it, where it has one. */
  readonly state?: Json
}

export interface RunOptions {
  /** Default: nowhere. */
  readonly repeats?: Repeats
}

/** One segment: steps, then an end. */
export function anyRun(options: RunOptions = {}): fc.Arbitrary<LiveRun> {
  return anyPlan.map((plan) => build(plan, options))
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
      /** Each answer is a commit of its own. */
      apart: rarely(3),
      endsAtOnce: rarely(3),
      marks: anyMarks,
      context: anyContext,
    })
    .map(({ steps, more, cause, answers, apart, endsAtOnce, marks, context }) => {
      const plan: Omit<RunPlan, 'steps' | 'end'> = { marks, partial: false, endsAtOnce, result: undefined, context }
      const first = build({ ...plan, steps, end: { awaiting: true } })
      const messages = first.after.openCalls.map(({ id }, index): Message => {
        const answer = answers[index % answers.length]
        return { id: `tool-${id}`, role: 'tool', content: answer ? [resultOf(answer, id)] : [] }
      })
      const opening = apart && messages.length > 0 ? messages.map((message) => [message]) : [messages]
      const second = build(
        { ...plan, steps: more, end: { cause } },
        { before: first.after, state: first.state, opening, from: steps.length },
      )
      return { first, second }
    })
}
