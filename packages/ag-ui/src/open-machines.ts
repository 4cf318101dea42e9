/** What stands open in an event stream: steps, texts, calls and subagents, and what chunks go on with. */
import type { Machine, MachineState, Step } from '@factwire/core'
import { breaks, state } from './machine.ts'
import type { RuleId } from './rules.ts'

interface PairRules {
  readonly once: RuleId
  readonly first: RuleId
  readonly finish: RuleId
}

export const PLAIN: PairRules = { once: 'start-once', first: 'start-first', finish: 'finish-closes' }
export const REASONING: PairRules = {
  once: 'reasoning-start-once',
  first: 'reasoning-start-first',
  finish: 'finish-closes-reasoning',
}

/** Starts, goes on, ends, and may start again. What came as chunks ends by itself with whatever else comes. */
export function pair({ once, first, finish }: PairRules): Machine {
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
/** What came as chunks ends by itself. */
const CALL_BEGINS = { start: 'open', chunk: 'ended' }
const UNANSWERED = {
  result: 'answered',
  run_finished: breaks('end-answers-calls'),
  run_error: breaks('end-answers-calls'),
  run_started: 'unknown',
}

export const call: Machine = {
  initial: 'unknown',
  states: {
    // A call of an earlier run may have its result here.
    unknown: state({ ...CALL_BEGINS, ...CALL_GOES_ON }),
    open: state({
      start: breaks('start-once'),
      end: 'ended',
      chunk: breaks('start-once'),
      result: breaks('result-after-end'),
      run_finished: breaks('finish-closes'),
      run_waits: breaks('finish-closes'),
      run_error: breaks('end-answers-calls'),
      run_started: 'unknown',
    }),
    ended: state({ ...CALL_BEGINS, ...CALL_GOES_ON, ...UNANSWERED }, { rest: true }),
    answered: state(
      {
        ...CALL_BEGINS,
        ...CALL_GOES_ON,
        result: breaks('one-result'),
        run_started: 'unknown',
        // Taken back with its result, or told as it is now.
        snapshot: 'unknown',
      },
      { rest: true },
    ),
  },
}

export const subagent: Machine = {
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
export const lane: Machine = {
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

/** By what it is, in the lane that has it open: the message or call that chunks go on with. */
export const piece: Machine = {
  initial: 'closed',
  states: {
    closed: state({ chunk: 'open', more: breaks('chunk-names-its-item') }, { rest: true }),
    open: state({ other: 'closed' }),
  },
}

/** What the first chunk of what is open in a lane said: whose role, name or parent that was. */
export const word: Machine = {
  initial: 'unsaid',
  states: {
    unsaid: state({ say: 'said', again: breaks('chunk-repeats-itself') }, { rest: true }),
    said: state({ forget: 'unsaid' }, { rest: true }),
  },
}
