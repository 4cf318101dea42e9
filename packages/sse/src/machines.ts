/**
 * The machines of the SSE wire: the run, its steps, its calls, and the values that patches change.
 *
 * Every state is what the client has made of the item, also after a breach, so that what it lets go is foreseen.
 */
import { type Machine, type MachineState, STREAM_OVER } from '@factwire/core'

const afterEnd = 'nothing-after-end'

export const run: Machine = {
  initial: 'new',
  states: {
    new: {
      on: {
        start: 'started',
        finish: { breaks: 'no-success-unstarted', to: 'failed' },
        suspend: { breaks: 'no-success-unstarted', to: 'failed' },
        fail: { breaks: 'run-starts-first', to: 'failed' },
        [STREAM_OVER]: { breaks: 'run-ends' },
      },
      otherwise: 'run-starts-first',
    },
    started: {
      on: {
        start: { breaks: 'run-starts-once' },
        history: 'running',
        say: 'running',
        finish: 'finished',
        suspend: 'waiting',
        fail: 'failed',
        [STREAM_OVER]: { breaks: 'run-ends' },
      },
      rest: true,
    },
    running: {
      on: {
        start: { breaks: 'run-starts-once' },
        history: { breaks: 'history-first' },
        finish: 'finished',
        suspend: 'waiting',
        fail: 'failed',
        [STREAM_OVER]: { breaks: 'run-ends' },
      },
      rest: true,
    },
    // The segments of a run may come as one stream.
    waiting: { on: { start: 'started', [STREAM_OVER]: 'waiting' }, otherwise: afterEnd, end: 'waiting', deaf: true },
    finished: {
      on: { start: { breaks: 'ended-run-rests', to: 'started' }, [STREAM_OVER]: 'finished' },
      otherwise: afterEnd,
      end: 'finished',
      deaf: true,
    },
    failed: {
      on: { start: { breaks: 'ended-run-rests', to: 'started' }, [STREAM_OVER]: 'failed' },
      otherwise: afterEnd,
      end: 'failed',
      deaf: true,
    },
  },
}

/** The names of runs, by their ids. */
export const identity: Machine = {
  initial: 'unnamed',
  states: {
    unnamed: { on: { start: 'named', finish: { breaks: 'end-names-its-run' } } },
    named: { on: {}, rest: true },
  },
}

const outside = { breaks: 'content-in-step', to: 'open' }
const unopened = { breaks: 'step-ends-once' }

export const step: Machine = {
  initial: 'none',
  states: {
    none: { on: { start: 'open', content: outside, reset: { breaks: 'reset-of-a-step' }, end: unopened } },
    // A step that starts ends the one before.
    open: { on: { end: 'closed', over: { breaks: 'step-closes', to: 'closed' } } },
    closed: { on: { start: 'open', content: outside, reset: 'taken back', end: unopened }, rest: true },
    'taken back': { on: { start: 'open', content: 'open', end: 'closed' } },
  },
}

/** Steps by their ids. One that starts again before its end begins anew, and one that showed nothing was none. */
export const stepId: Machine = {
  initial: 'new',
  states: {
    new: { on: { start: 'blank' } },
    blank: { on: { content: 'shown', end: 'new', another: 'new' }, rest: true },
    shown: { on: { start: 'blank', reset: 'blank', end: 'over', another: 'left' }, rest: true },
    left: { on: { start: 'blank' }, rest: true },
    over: { on: { start: { breaks: 'step-starts-once', to: 'blank' }, another: 'left' }, rest: true },
  },
}

const lostArguments = { breaks: 'arguments-of-open-call' }
const lostOutput = { breaks: 'output-of-open-call' }
const tooEarly = { breaks: 'prints-while-running' }
const startsOnce = { breaks: 'call-starts-once' }
const noCancel = { breaks: 'cancel-before-ready' }
const notStarted = { breaks: 'call-starts-first', to: 'ready' }

const streaming: MachineState = {
  on: {
    start: startsOnce,
    ready: 'ready',
    output: tooEarly,
    done: { breaks: 'ready-before-result', to: 'answered' },
    pend: { breaks: 'ready-before-result', to: 'waiting' },
    resumed: { breaks: 'ready-before-result', to: 'answered' },
    cancel: 'unknown',
    reset: 'unknown',
    next: 'left streaming',
    suspend: { breaks: 'call-ends' },
    over: { breaks: 'call-ends' },
  },
}

/** Calls by their ids. A reset takes back those of the current step; `left` ones are of a step before it. */
export const call: Machine = {
  initial: 'unknown',
  states: {
    unknown: {
      on: {
        start: 'streaming',
        arguments: lostArguments,
        ready: notStarted,
        output: lostOutput,
        done: { breaks: 'result-of-known-call', to: 'left' },
        // It may be of an earlier segment.
        pend: 'left ready',
        resumed: 'resumed',
        cancel: { breaks: 'cancel-of-known-call' },
        stored: 'left ready',
        'stored result': 'left',
      },
    },
    streaming,
    ready: {
      on: {
        start: startsOnce,
        arguments: lostArguments,
        ready: { breaks: 'ready-once' },
        done: 'answered',
        pend: 'waiting',
        resumed: 'answered',
        cancel: { ...noCancel, to: 'answered' },
        reset: 'unknown',
        next: 'left ready',
        over: { breaks: 'call-ends' },
      },
    },
    waiting: {
      on: {
        start: startsOnce,
        arguments: lostArguments,
        ready: { breaks: 'ready-once' },
        output: tooEarly,
        done: 'answered',
        resumed: 'answered',
        cancel: { ...noCancel, to: 'answered' },
        reset: 'unknown',
        next: 'left ready',
      },
    },
    answered: {
      on: {
        start: startsOnce,
        arguments: lostArguments,
        ready: { breaks: 'ready-once' },
        output: lostOutput,
        done: { breaks: 'one-result' },
        cancel: noCancel,
        reset: 'unknown',
        next: 'left',
      },
      rest: true,
    },
    'left streaming': {
      on: {
        start: { ...startsOnce, to: 'streaming again' },
        ready: notStarted,
        output: tooEarly,
        done: { breaks: 'ready-before-result', to: 'left' },
        pend: { breaks: 'ready-before-result', to: 'left ready' },
        resumed: { breaks: 'ready-before-result', to: 'left' },
        cancel: 'unknown',
        over: { breaks: 'call-ends' },
      },
    },
    // One of a step before still streams, too: what takes this one back leaves that one.
    'streaming again': { on: { ...streaming.on, cancel: 'left streaming', reset: 'left streaming' } },
    'left ready': {
      on: {
        start: { ...startsOnce, to: 'streaming' },
        arguments: lostArguments,
        ready: { breaks: 'ready-once' },
        done: 'left',
        resumed: 'left',
        cancel: { ...noCancel, to: 'left' },
        'stored result': 'left',
        over: { breaks: 'call-ends' },
      },
    },
    left: {
      on: {
        start: { ...startsOnce, to: 'streaming' },
        arguments: lostArguments,
        ready: { breaks: 'ready-once', to: 'ready' },
        output: lostOutput,
        done: { breaks: 'one-result' },
        cancel: noCancel,
      },
      rest: true,
    },
    // Of an earlier segment: what became of it there, nobody knows here, nor whether its id is free again.
    resumed: {
      on: {
        start: 'streaming',
        arguments: lostArguments,
        ready: { breaks: 'ready-once', to: 'ready' },
        output: lostOutput,
        pend: 'left ready',
      },
      rest: true,
    },
  },
}

/** The state, or an activity: patches hold until the next whole value tells it again. */
export const value: Machine = {
  initial: 'whole',
  states: {
    whole: { on: { patch: 'patched' } },
    patched: { on: { whole: 'whole' } },
  },
}
