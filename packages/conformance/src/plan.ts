/** What a run is planned as: plain records, which shrink well. `build.ts` makes the run of it. */
import type { EndCause, Json } from '@factwire/core'
import fc from 'fast-check'
import { anyJson, anyText } from './values.ts'

export type EndPlan = { readonly awaiting: boolean } | { readonly cause: EndCause }

export interface ResultPlan {
  readonly text: string
  readonly is_error: boolean
  readonly data: Json | undefined
  readonly denied: boolean
  readonly image: boolean
  readonly output: string | undefined
}

export interface TextPlan {
  readonly kind: 'text'
  readonly text: string
}

export interface CallPlan {
  readonly kind: 'call'
  readonly name: string
  readonly input: Json
  readonly spaced: boolean
  /** Streamed, cancelled, and never committed. */
  readonly cancelled: boolean
  readonly pending: 'no' | 'client' | 'approval'
  readonly result: ResultPlan
}

export interface StepPlan {
  readonly thinking: string | undefined
  readonly parts: readonly (TextPlan | CallPlan)[]
  /** Where to cut the streamed texts, as fractions of 1,000. */
  readonly cuts: readonly number[]
  readonly interleave: readonly number[]
  readonly reset: boolean
  readonly announceStep: boolean
  readonly inference: boolean
  readonly snapshot: Json | undefined
  readonly oneResultMessage: boolean
  readonly reverseResults: boolean
}

export const anyCause: fc.Arbitrary<EndCause> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<EndCause>({ type: 'natural_end' }) },
  fc.constantFrom<EndCause>(
    { type: 'behavior_requested' },
    { type: 'max_steps' },
    { type: 'max_steps', code: 'length' },
    { type: 'max_steps', code: 'budget' },
    { type: 'stopped', code: 'token_budget', detail: 'out of tokens' },
    { type: 'cancelled' },
    { type: 'blocked', reason: 'denied by policy' },
    { type: 'error', failure: { code: 'rate_limited', message: '429' } },
    { type: 'indeterminate' },
  ),
)

export const anyResult: fc.Arbitrary<ResultPlan> = fc.record({
  text: anyText,
  is_error: fc.boolean(),
  data: fc.option(anyJson, { nil: undefined }),
  denied: fc.integer({ min: 0, max: 5 }).map((dice) => dice === 0),
  image: fc.integer({ min: 0, max: 5 }).map((dice) => dice === 0),
  output: fc.option(anyText, { nil: undefined }),
})

const anyPart: fc.Arbitrary<TextPlan | CallPlan> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: anyText }),
  fc.record({
    kind: fc.constant('call' as const),
    name: fc.constantFrom<string>('search', 'read', 'sum'),
    input: anyJson,
    spaced: fc.boolean(),
    cancelled: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
    pending: fc.constantFrom<CallPlan['pending']>('no', 'no', 'client', 'approval'),
    result: anyResult,
  }),
)

export const anyStep: fc.Arbitrary<StepPlan> = fc.record({
  thinking: fc.option(anyText, { nil: undefined }),
  parts: fc.array(anyPart, { maxLength: 5 }),
  cuts: fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 6 }),
  interleave: fc.array(fc.nat({ max: 7 }), { maxLength: 12 }),
  reset: fc.integer({ min: 0, max: 7 }).map((dice) => dice === 0),
  announceStep: fc.boolean(),
  inference: fc.boolean(),
  snapshot: fc.option(anyJson, { nil: undefined }),
  oneResultMessage: fc.boolean(),
  reverseResults: fc.boolean(),
})
