/**
 * The stream of one answer as data: one choice that begins with its role, says what it says, finishes once and is done.
 *
 * The official client adds up whatever comes and looks at the sum when the stream is over, so few rules are its own. What a frame
 * does is in `moves.ts`, what the rules say in `rules.ts`.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
import { type Grammar, type Machine, type MachineState, STREAM_OVER } from '@factwire/core'
import { moves } from './moves.ts'
import { rules } from './rules.ts'
import type { ChatFrame } from './wire.ts'

// ── The answer ──

/** Before the finish. What a client makes of a stream that stops here is told by `missing`. */
function unfinished(missing: string, on: MachineState['on']): MachineState {
  return {
    on: {
      usage: { breaks: 'usage-last' },
      error: 'failed',
      done: { breaks: missing, to: 'refused' },
      [STREAM_OVER]: { breaks: missing },
      ...on,
    },
  }
}

/** After it. */
function finished(
  own: string,
  other: { readonly input: string; readonly state: string },
  more: MachineState,
): MachineState {
  return {
    ...more,
    on: {
      role: { breaks: 'finish-last' },
      piece: { breaks: 'finish-last' },
      usage: own,
      finish: { breaks: 'finish-once' },
      finish_calls: { breaks: 'finish-once' },
      [other.input]: { breaks: 'finish-once', to: other.state },
      error: { breaks: 'finish-last', to: 'failed' },
      ...more.on,
    },
  }
}

function over(own: string, more: Omit<MachineState, 'on'>): MachineState {
  return { on: { [STREAM_OVER]: own }, otherwise: 'nothing-after', deaf: true, ...more }
}

const toStop = { input: 'finish', state: 'finished' }
const toCalls = { input: 'finish_calls', state: 'waiting' }

const run: Machine = {
  initial: 'empty',
  states: {
    empty: unfinished('answer-missing', {
      role: 'open',
      piece: { breaks: 'role-first', to: 'mute' },
      finish: { breaks: 'role-first', to: 'mute_finished' },
      finish_calls: { breaks: 'role-first', to: 'mute_waiting' },
    }),
    mute: unfinished('role-missing', {
      role: 'open',
      piece: 'mute',
      finish: 'mute_finished',
      finish_calls: 'mute_waiting',
    }),
    open: unfinished('finish-missing', {
      role: { breaks: 'role-once' },
      piece: 'open',
      finish: 'finished',
      finish_calls: 'waiting',
    }),
    mute_finished: finished('mute_finished', { ...toCalls, state: 'mute_waiting' }, mute('finished')),
    mute_waiting: finished('mute_waiting', { ...toStop, state: 'mute_finished' }, mute('waiting')),
    finished: finished('finished', toCalls, told('finished', 'done')),
    waiting: finished('waiting', toStop, told('waiting', 'done_waiting')),
    done: over('done', { end: 'finished' }),
    done_waiting: over('done_waiting', { end: 'waiting' }),
    failed: { ...over('failed', { end: 'failed' }), on: { [STREAM_OVER]: 'failed', done: 'failed' } },
    /** The end mark came, and the answer is none. */
    refused: over('refused', {}),
  },
}

function mute(withRole: string): MachineState {
  return {
    on: {
      role: { breaks: 'finish-last', to: withRole },
      done: { breaks: 'role-missing', to: 'refused' },
      [STREAM_OVER]: { breaks: 'role-missing' },
    },
  }
}

function told(end: 'finished' | 'waiting', done: string): MachineState {
  return { on: { done, [STREAM_OVER]: { breaks: 'done-missing' } }, end }
}

const choiceBegins = { role: 'open', piece: 'mute', finish: 'mute_finished', finish_calls: 'mute_finished' }
const leftOut = { breaks: 'choice-missing' }

/** Any choice but the first, by its index. Nobody asked for one, and the client wants each to be whole. */
const choice: Machine = {
  initial: 'unknown',
  states: {
    unknown: { on: { ...choiceBegins, passed_over: 'missing' } },
    missing: { on: { ...choiceBegins, done: leftOut, [STREAM_OVER]: leftOut } },
    mute: choiceState('role-missing', { role: 'open', finish: 'mute_finished', finish_calls: 'mute_finished' }),
    open: choiceState('finish-missing', { finish: 'finished', finish_calls: 'finished' }),
    mute_finished: choiceState('role-missing', { role: 'finished' }),
    finished: { on: {} },
  },
}

function choiceState(missing: string, on: MachineState['on']): MachineState {
  return { on: { done: { breaks: missing }, [STREAM_OVER]: { breaks: missing }, ...on } }
}

// ── Its calls ──

const untyped = { breaks: 'call-type' }
const left = { breaks: 'call-missing' }
const again = { breaks: 'call-begins-once' }
const first = {
  begin: 'begun',
  half: { breaks: 'call-begins-whole', to: 'begun' },
} as const

/** By index. The client wants a type when it leaves a call, and in the end one call for each index up to the last. */
const call: Machine = {
  initial: 'unknown',
  states: {
    unknown: {
      on: {
        ...first,
        more: { breaks: 'call-begins-first', to: 'untyped' },
        passed_over: { breaks: 'calls-from-zero', to: 'missing' },
        finish: 'unknown_late',
      },
    },
    missing: {
      on: {
        ...first,
        more: { breaks: 'call-begins-first', to: 'untyped' },
        finish: 'missing_late',
        done: left,
        [STREAM_OVER]: left,
      },
    },
    untyped: {
      on: { begin: 'begun', half: 'begun', other: untyped, finish: untyped, done: untyped, [STREAM_OVER]: untyped },
    },
    // Once the answer has finished, the client closes the call that it is at with every further piece.
    unknown_late: {
      on: {
        ...first,
        more: { breaks: 'call-begins-first', to: 'untyped_late' },
        passed_over: { breaks: 'calls-from-zero', to: 'missing_late' },
      },
    },
    missing_late: {
      on: {
        ...first,
        more: { breaks: 'call-begins-first', to: 'untyped_late' },
        done: left,
        [STREAM_OVER]: left,
      },
    },
    untyped_late: {
      on: {
        begin: 'begun',
        half: 'begun',
        more: untyped,
        piece: untyped,
        other: untyped,
        finish: untyped,
        done: untyped,
        [STREAM_OVER]: untyped,
      },
    },
    begun: { on: { begin: again, half: again, named: again, other: 'passed' } },
    passed: { on: { begin: again, half: again, named: again, more: { breaks: 'calls-in-turn' } } },
  },
}

const callArguments: Machine = {
  initial: 'unknown',
  states: {
    unknown: { on: { begin: 'empty', text: 'some' } },
    empty: { on: { text: 'some', finish: { breaks: 'call-arguments' } } },
    some: { on: {} },
  },
}

/** By the id of a call. */
const callId: Machine = {
  initial: 'free',
  states: { free: { on: { begin: 'used' } }, used: { on: { begin: { breaks: 'call-ids-differ' } } } },
}

/** Whether there are calls. */
const calls: Machine = {
  initial: 'none',
  states: {
    none: { on: { call: 'some', finish_calls: { breaks: 'finish-fits' } } },
    some: { on: { finish: { breaks: 'finish-fits' } } },
  },
}

// ── What stands in a frame ──

/** By what every chunk repeats. */
const response: Machine = {
  initial: 'unknown',
  states: { unknown: { on: { named: 'known' } }, known: { on: { other: { breaks: 'one-response' } } } },
}

const usage: Machine = {
  initial: 'untold',
  states: { untold: { on: { usage: 'told' } }, told: { on: { usage: { breaks: 'usage-once' } } } },
}

/** What is never right, wherever it stands. */
const frame: Machine = {
  initial: 'any',
  states: {
    any: {
      on: Object.fromEntries(
        [
          'choices-array',
          'choice-index',
          'one-choice',
          'delta-only',
          'texts-are-text',
          'no-function-call',
          'role-assistant',
          'call-index',
          'call-function',
        ].map((rule) => [rule, { breaks: rule }]),
      ),
    },
  },
}

export const grammar: Grammar<ChatFrame> = {
  machines: { run, choice, call, arguments: callArguments, call_id: callId, calls, response, usage, frame },
  rules,
  moves,
}
