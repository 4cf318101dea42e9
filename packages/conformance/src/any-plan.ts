/** Plans of runs, generated. What is absent, false or short stands first: a counterexample shrinks to the step that matters. */
import type { EndCause, JsonObject, RunIdentity } from '@factwire/core'
import fc from 'fast-check'
import type {
  CallPlan,
  ContextPlan,
  EndPlan,
  Marks,
  PatchPlan,
  ResultPlan,
  RunPlan,
  SteeringPlan,
  StepPlan,
  TextPlan,
  TicketPlan,
} from './plan.ts'
import { anyBrokenInput, anyJson, anyRawInput, anyText, rarely } from './values.ts'

/** Absent in all but one case of `many`. */
const seldom = <Value>(many: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: many - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

const often = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined })

export const anyCause: fc.Arbitrary<EndCause> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<EndCause>({ type: 'natural_end' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<EndCause>(
      { type: 'behavior_requested' },
      { type: 'max_steps' },
      { type: 'max_steps', code: 'length' },
      { type: 'max_steps', code: 'budget' },
      { type: 'stopped', code: 'token_budget', detail: 'out of tokens' },
      { type: 'stopped', code: 'timeout' },
      { type: 'cancelled' },
      { type: 'blocked', reason: 'denied by policy' },
      { type: 'error', failure: { code: 'rate_limited', message: '429' } },
      { type: 'error', failure: { code: 'state_conflict' } },
      { type: 'indeterminate' },
    ),
  },
)

export const anyResult: fc.Arbitrary<ResultPlan> = fc.record({
  text: anyText,
  fate: fc.constantFrom<ResultPlan['fate']>('fine', 'fine', 'fine', 'error', 'error', 'denied', 'cancelled'),
  data: seldom(2, anyJson),
  holds: fc.oneof(
    { weight: 12, arbitrary: fc.constant<ResultPlan['holds']>('text') },
    { weight: 5, arbitrary: fc.constantFrom<ResultPlan['holds']>('image', 'document', 'texts', 'nothing') },
    { weight: 1, arbitrary: fc.constant<ResultPlan['holds']>('a lot') },
  ),
  output: seldom(2, anyText),
  namesake: rarely(20),
})

const anyTicket: fc.Arbitrary<TicketPlan> = fc.record({
  message: seldom(2, anyText),
  parameters: seldom(3, anyJson),
  response_schema: seldom(3, fc.constant({ type: 'object', required: ['ok'] })),
  expires_at: seldom(4, fc.constant('2030-01-01T00:00:00Z')),
})

const anyCall: fc.Arbitrary<CallPlan> = fc.record({
  kind: fc.constant('call' as const),
  name: fc.constantFrom<string>('search', 'read', 'sum'),
  input: anyJson,
  raw: seldom(6, anyRawInput),
  broken: seldom(12, anyBrokenInput),
  spaced: fc.boolean(),
  cancelled: rarely(10),
  pending: fc.constantFrom<CallPlan['pending']>('no', 'no', 'client', 'approval'),
  ticket: anyTicket,
  namesake: rarely(20),
  result: anyResult,
})

const anyTextPart: fc.Arbitrary<TextPlan> = fc.record({ kind: fc.constant('text' as const), text: anyText })

/** A key that patches may name on every wire: an official client refuses those that lead to a prototype. */
const anyKey = fc.constantFrom('a', 'b', '', 'a/b', '~', 'toJSON', 'é')

const anyPatch: fc.Arbitrary<PatchPlan> = fc.record({
  of: fc.constantFrom<PatchPlan['of']>('state', 'activity'),
  how: fc.constantFrom<PatchPlan['how']>('set', 'append', 'remove'),
  key: anyKey,
  value: anyJson,
  early: fc.boolean(),
})

const anySteering: fc.Arbitrary<SteeringPlan> = fc.record({
  role: fc.constantFrom<SteeringPlan['role']>('user', 'system'),
  text: anyText,
  continues: fc.boolean(),
  among: fc.boolean(),
})

const anyDocument: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ q: anyText }),
  fc.constant({}),
  fc.record({ log: fc.constant(['begun']), title: anyText }),
)

export const anyStep: fc.Arbitrary<StepPlan> = fc.record({
  thinking: often(anyText),
  again: seldom(8, anyText),
  seal: fc.constantFrom<StepPlan['seal']>('none', 'none', 'none', 'signature', 'encrypted', 'both'),
  parts: fc.array(fc.oneof(anyTextPart, anyCall), { maxLength: 5 }),
  cuts: fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 6 }),
  interleave: fc.array(fc.nat({ max: 7 }), { maxLength: 12 }),
  reset: rarely(8),
  announceStep: fc.boolean(),
  disposed: rarely(4),
  inference: fc.constantFrom<StepPlan['inference']>('none', 'none', 'whole', 'some', 'nothing known'),
  failedInference: rarely(8),
  snapshot: seldom(2, anyJson),
  patches: fc.oneof(
    { weight: 2, arbitrary: fc.constant<readonly PatchPlan[]>([]) },
    { weight: 1, arbitrary: fc.array(anyPatch, { maxLength: 3 }) },
  ),
  activity: seldom(4, anyDocument),
  keepsActivity: rarely(3),
  steering: seldom(6, anySteering),
  asks: rarely(4),
  results: fc.constantFrom<StepPlan['results']>(
    'one by one',
    'one by one',
    'in one message',
    'in one message',
    'with their message',
  ),
  reverseResults: fc.boolean(),
})

const identity: RunIdentity = {
  thread_id: 'thread-1',
  run_id: 'run-1',
  parent_run_id: 'run-0',
  agent_id: 'helper',
  parent_tool_call_id: 'c0',
  origin: 'subagent',
  run_mode: 'scheduled',
  adapter: 'ag_ui',
}

export const anyContext: fc.Arbitrary<ContextPlan> = fc.constantFrom<ContextPlan>(
  {},
  { parentRunId: 'run-0' },
  { identity },
  { parentRunId: 'run-0', identity, agentId: 'helper', model: 'm-large', startedAt: 1_790_000_000_000 },
)

/** Most streams are marked whole or not at all. */
export const anyMarks: fc.Arbitrary<Marks> = fc.constantFrom<Marks>(
  'none',
  'both',
  'none',
  'both',
  'both',
  'ids',
  'offsets',
)

const anyEnd: fc.Arbitrary<EndPlan> = fc.oneof(
  { weight: 2, arbitrary: anyCause.map((cause) => ({ cause })) },
  { weight: 1, arbitrary: fc.constant({ awaiting: true }) },
)

export const anyPlan: fc.Arbitrary<RunPlan> = fc.record({
  steps: fc.array(anyStep, { maxLength: 4 }),
  end: anyEnd,
  marks: anyMarks,
  partial: fc.boolean(),
  endsAtOnce: rarely(3),
  result: seldom(4, anyJson),
  context: anyContext,
})
