/** What stands open in an event stream, and what its client holds: one small machine for each kind of item. */
import { type Machine, type MachineState, STREAM_OVER, type Step } from '@factwire/core'
import type { RuleId } from './rules.ts'

const breaks = (rule: RuleId, to?: string): Step => ({ breaks: rule, ...(to === undefined ? {} : { to }) })

/** A rule's id that does not exist does not compile in here. */
const state = (
  on: Readonly<Record<string, Step>>,
  more: Omit<MachineState, 'on' | 'otherwise'> & { readonly otherwise?: RuleId } = {},
): MachineState => ({ on, ...more })

// ── The run ──

const run: Machine = {
  initial: 'new',
  states: {
    new: state(
      {
        run_started: 'running',
        run_error: breaks('error-after-start', 'failed'),
        [STREAM_OVER]: breaks('end-of-run'),
      },
      { otherwise: 'start-of-run' },
    ),
    running: state(
      {
        use: 'running',
        run_finished: 'finished',
        run_waits: 'waiting',
        run_error: 'failed',
        run_started: breaks('one-run-at-a-time'),
        [STREAM_OVER]: breaks('end-of-run'),
      },
      { rest: true },
    ),
    finished: over('finished'),
    waiting: over('waiting'),
    failed: state(
      { run_started: breaks('one-run-a-stream', 'running'), [STREAM_OVER]: 'failed' },
      { otherwise: 'nothing-after-error', end: 'failed' },
    ),
  },
}

function over(end: 'finished' | 'waiting'): MachineState {
  return state(
    {
      run_started: breaks('one-run-a-stream', 'running'),
      run_error: breaks('no-error-after-finish', 'failed'),
      [STREAM_OVER]: end,
    },
    { otherwise: 'nothing-after-finish', end },
  )
}

// ── What opens and closes ──

interface PairRules {
  readonly once: RuleId
  readonly first: RuleId
  readonly finish: RuleId
}

const PLAIN: PairRules = { once: 'start-once', first: 'start-first', finish: 'finish-closes' }
const REASONING: PairRules = {
  once: 'reasoning-start-once',
  first: 'reasoning-start-first',
  finish: 'finish-closes-reasoning',
}

/** Starts, goes on, ends, and may start again. What came as chunks ends by itself with whatever else comes. */
function pair({ once, first, finish }: PairRules): Machine {
  return {
    initial: 'closed',
    states: {
      closed: state({ start: 'open', content: breaks(first), end: breaks(first), chunk: 'chunked' }),
      open: state({
        start: breaks(once),
        content: 'open',
        end: 'closed',
        chunk: breaks(once),
        run_finished: breaks(finish),
        run_waits: breaks(finish),
        run_started: 'closed',
      }),
      chunked: state(
        { start: 'open', content: breaks(first), end: breaks(first), chunk: 'chunked', run_started: 'closed' },
        { rest: true },
      ),
    },
  }
}

const CALL_GOES_ON = { content: breaks('start-first'), end: breaks('start-first') }
const CALL_BEGINS = { start: 'open', named_chunk: 'chunked' }
const UNANSWERED = {
  result: 'answered',
  run_finished: breaks('end-answers-calls'),
  run_error: breaks('end-answers-calls'),
  run_started: 'unknown',
}
const NAMELESS = { chunk: breaks('chunk-names-its-item') }

const call: Machine = {
  initial: 'unknown',
  states: {
    // A call of an earlier run may have its result here.
    unknown: state({ ...CALL_BEGINS, ...CALL_GOES_ON, ...NAMELESS }),
    open: state({
      start: breaks('start-once'),
      end: 'ended',
      chunk: breaks('start-once'),
      named_chunk: breaks('start-once'),
      result: breaks('result-after-end'),
      run_finished: breaks('finish-closes'),
      run_waits: breaks('finish-closes'),
      run_error: breaks('end-answers-calls'),
      run_started: 'unknown',
    }),
    ended: state({ ...CALL_BEGINS, ...CALL_GOES_ON, ...NAMELESS, ...UNANSWERED }, { rest: true }),
    answered: state(
      {
        ...CALL_BEGINS,
        ...CALL_GOES_ON,
        ...NAMELESS,
        result: breaks('one-result'),
        run_started: 'unknown',
        // Taken back with its result, or told as it is now.
        snapshot: 'unknown',
      },
      { rest: true },
    ),
    // Its chunks go on without its name until those of another call come.
    chunked: state({ ...CALL_BEGINS, ...CALL_GOES_ON, ...UNANSWERED, chunk: 'chunked', other_chunk: 'ended' }),
  },
}

const subagent: Machine = {
  initial: 'unknown',
  states: {
    unknown: state({ start: 'open', end: breaks('start-first'), parent: breaks('subagent-parent') }),
    open: state({
      start: breaks('start-once'),
      end: 'ended',
      run_finished: breaks('finish-closes'),
      run_waits: breaks('finish-closes'),
      run_started: 'unknown',
    }),
    ended: state(
      { start: breaks('subagent-once'), end: breaks('start-first'), run_started: 'unknown' },
      { rest: true },
    ),
  },
}

/** What a chunk without an id goes on with, for the run and for each subagent. */
const lane: Machine = {
  initial: 'free',
  states: { free: laneState(), text: laneState('text'), reasoning: laneState('reasoning'), call: laneState('call') },
}

function laneState(kind?: 'text' | 'reasoning' | 'call'): MachineState {
  const more = (wanted: string): Step => (wanted === kind ? wanted : breaks('chunk-names-its-item'))
  return state(
    {
      text: 'text',
      reasoning: 'reasoning',
      call: 'call',
      more_text: more('text'),
      more_reasoning: more('reasoning'),
      more_call: more('call'),
      other: 'free',
    },
    { rest: true },
  )
}

// ── What the client holds ──

/** What a snapshot holds is as the snapshot says. */
const GIVEN = {
  given_assistant: 'assistant',
  given_other: 'other',
  given_result: 'result',
  given_thought: 'thought',
  given_activity: 'activity',
}

const ABSENT = {
  ...GIVEN,
  text: 'assistant',
  other_text: 'other',
  thought: 'thought',
  parent: 'assistant',
  own_call: 'assistant',
  result: 'result',
  activity: 'activity',
  sealed: breaks('value-after-its-item'),
}

/** Under an id that stands for another kind of message. */
const MISUSED = {
  ...GIVEN,
  text: breaks('one-kind-an-id'),
  other_text: breaks('one-kind-an-id'),
  thought: breaks('one-kind-an-id'),
  parent: breaks('parent-is-assistant'),
  own_call: breaks('one-kind-an-id'),
  result: breaks('fresh-result-id'),
  activity: breaks('one-kind-an-id', 'activity'),
  activity_kept: breaks('one-kind-an-id'),
  patch: breaks('patch-of-activity'),
}

const ACTIVITY_MISUSED = breaks('activity-keeps-its-id')

/** By message id. An `other` text is somebody else's than the assistant's. */
const message: Machine = {
  initial: 'unknown',
  states: {
    // It may be of an earlier run.
    unknown: state({ ...ABSENT, activity_kept: 'activity' }),
    lost: state(
      {
        ...ABSENT,
        activity_kept: 'activity',
        content: breaks('snapshot-keeps-open'),
        thought_content: breaks('snapshot-keeps-open'),
      },
      { rest: true },
    ),
    assistant: held({ text: 'assistant', other_text: 'assistant', parent: 'assistant', snapshot: 'lost' }),
    other: held({ text: 'other', other_text: 'other', snapshot: 'lost' }),
    result: held({ snapshot: 'lost' }),
    // A snapshot leaves thoughts as they are where it has none, and activities too.
    thought: held({ thought: 'thought', snapshot_of_thoughts: 'lost' }),
    activity: held({
      text: ACTIVITY_MISUSED,
      other_text: ACTIVITY_MISUSED,
      thought: ACTIVITY_MISUSED,
      content: ACTIVITY_MISUSED,
      thought_content: ACTIVITY_MISUSED,
      activity: 'activity',
      activity_kept: 'activity',
      patch: 'activity',
      sealed: breaks('value-after-its-item'),
      snapshot_of_activities: 'lost',
    }),
  },
}

function held(on: Readonly<Record<string, Step>>): MachineState {
  return state({ ...MISUSED, ...on }, { rest: true })
}

/** By call id: whether the client has it in one of its messages. */
const kept_call: Machine = {
  initial: 'unknown',
  states: {
    unknown: state({ start: 'there', given: 'there', sealed: breaks('value-after-its-item') }),
    there: state({ renamed: breaks('call-keeps-its-name'), snapshot: 'lost' }, { rest: true }),
    lost: state(
      {
        start: 'there',
        given: 'there',
        content: breaks('snapshot-keeps-open'),
        sealed: breaks('value-after-its-item'),
      },
      { rest: true },
    ),
  },
}

/** By call id and name: whether the client has met the call under that name. */
const call_name: Machine = {
  initial: 'unknown',
  states: {
    unknown: state({ met: 'known' }),
    known: state({ snapshot: 'unknown' }, { rest: true }),
  },
}

export type MachineName =
  | 'run'
  | 'step'
  | 'text'
  | 'reasoning'
  | 'thought'
  | 'call'
  | 'subagent'
  | 'lane'
  | 'message'
  | 'kept_call'
  | 'call_name'

export const machines: Readonly<Record<MachineName, Machine>> = {
  run,
  step: pair(PLAIN),
  text: pair(PLAIN),
  reasoning: pair(REASONING),
  thought: pair(REASONING),
  call,
  subagent,
  lane,
  message,
  kept_call,
  call_name,
}
