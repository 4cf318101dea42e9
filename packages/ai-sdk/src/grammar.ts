/** What a UI message stream may say and when, as the official clients enforce it, and what we demand beyond that. */
import { type Grammar, type Machine, type MachineState, type Move, STREAM_OVER, type Step } from '@factwire/core'
import { movesFor } from './moves.ts'
import { type RuleId, rules } from './rules.ts'
import type { Target, UiFrame } from './wire.ts'

/** A rule's id that does not exist does not compile. */
const breaks = (rule: RuleId, to?: string): Step => ({ breaks: rule, ...(to === undefined ? {} : { to }) })
const state = (
  on: MachineState['on'],
  more: Omit<MachineState, 'on' | 'otherwise'> & { readonly otherwise?: RuleId } = {},
): MachineState => ({ on, ...more })

const ENDS = { finish: 'finished', abort: 'finished', wait: 'waiting', error: 'failed' }

const UNANSWERED = { answer: 'answered', run_ends: breaks('end-answers-calls') }
const ANSWERED = { begin: 'open', answer: breaks('one-result') }

const run: Machine = {
  initial: 'new',
  states: {
    new: state({
      start: 'running',
      chunk: breaks('start-first'),
      finish: breaks('start-first', 'finished'),
      abort: breaks('start-first', 'finished'),
      wait: breaks('start-first', 'waiting'),
      error: breaks('start-first', 'failed'),
      done: breaks('end-told'),
      [STREAM_OVER]: breaks('end-told'),
    }),
    running: state(
      {
        ...ENDS,
        chunk: 'running',
        start: breaks('start-once'),
        done: breaks('end-told'),
        [STREAM_OVER]: breaks('end-told'),
      },
      { rest: true },
    ),
    finished: ended('done', 'finished'),
    waiting: ended('done_waiting', 'waiting'),
    done: over('done', 'finished'),
    done_waiting: over('done_waiting', 'waiting'),
    failed: left({ done: 'done_failed', [STREAM_OVER]: breaks('done-last') }),
    done_failed: left({ [STREAM_OVER]: 'done_failed' }),
  },
}

function ended(done: string, end: 'finished' | 'waiting'): MachineState {
  return state(
    { done, error: breaks('nothing-after-end', 'failed'), [STREAM_OVER]: breaks('done-last') },
    { otherwise: 'nothing-after-end', end },
  )
}

function over(done: string, end: 'finished' | 'waiting'): MachineState {
  return state(
    { error: breaks('nothing-after-end', 'failed'), [STREAM_OVER]: done },
    { otherwise: 'nothing-after-end', end },
  )
}

/** A client that was told of an error looks at nothing any more. */
function left(on: MachineState['on']): MachineState {
  return state(on, { otherwise: 'nothing-after-error', end: 'failed', deaf: true })
}

const step: Machine = {
  initial: 'closed',
  states: {
    closed: state({ start: 'open', finish: breaks('step-open'), part: breaks('step-first') }),
    open: state({ start: breaks('step-once'), finish: 'closed', run_ends: breaks('step-closed') }),
  },
}

/** Text and reasoning, by id. `resets`: a client forgets what is open when a step finishes. */
const item = (resets: boolean): Machine => ({
  initial: 'closed',
  states: {
    closed: state({ start: 'open', content: breaks('open-first'), end: breaks('open-first') }),
    open: state({
      start: breaks('open-once'),
      end: 'closed',
      step: resets ? breaks('step-closes', 'closed') : breaks('step-closes'),
      reset: 'closed',
      run_ends: breaks('end-closes'),
    }),
  },
})

/** Whether a client would add arguments to a call. */
const input: Machine = {
  initial: 'unknown',
  states: {
    unknown: state({ start: 'begun', content: breaks('input-first') }),
    begun: state({ reset: 'unknown' }, { rest: true }),
  },
}

/** Whether a client has the part of a call, and whether in the step that may be taken back. */
const part: Machine = {
  initial: 'absent',
  states: {
    absent: state({ put: 'current', use: breaks('call-first'), goes_on: 'earlier' }),
    current: state({ step: 'earlier', reset: 'absent' }, { rest: true }),
    earlier: state({ put: 'both' }, { rest: true }),
    both: state({ step: 'earlier', reset: 'earlier' }, { rest: true }),
  },
}

/** What is owed to a call. */
const call: Machine = {
  initial: 'unknown',
  states: {
    unknown: state({ begin: 'open', answer: 'answered_earlier' }, { rest: true }),
    open: state({ ...UNANSWERED, step: 'open_earlier', reset: 'unknown' }),
    open_earlier: state({ ...UNANSWERED, begin: 'open' }),
    answered: state({ ...ANSWERED, step: 'answered_earlier', reset: 'unknown' }, { rest: true }),
    answered_earlier: state(ANSWERED, { rest: true }),
  },
}

const approval: Machine = {
  initial: 'unknown',
  states: {
    unknown: state({ ask: 'asked', respond: breaks('asked-first'), goes_on: 'asked' }),
    asked: state({}, { rest: true }),
  },
}

/** What a client of the target does not know at all. */
const chunk: Machine = {
  initial: 'known',
  states: { known: state({ reset: breaks('reset-known'), unknown: breaks('type-known') }) },
}

export function createGrammar(target: Target): Grammar<UiFrame> {
  const machines: Grammar<UiFrame>['machines'] & Readonly<Record<string, Machine>> = {
    run,
    step,
    text: item(target !== 'v7'),
    reasoning: item(target !== 'v7'),
    input,
    part,
    call,
    approval,
    chunk,
  }
  return { machines, rules, moves: (frame): readonly Move[] => movesFor(target, frame) }
}

/** For clients of the default target. */
export const grammar: Grammar<UiFrame> = createGrammar('v6')
