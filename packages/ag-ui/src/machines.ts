/** The machines of an event stream, by name: of the run, of what stands open in it, and of what its client holds. */
import { type Machine, type MachineState, STREAM_OVER } from '@factwire/core'
import { call_name, kept_call, message, owner } from './held-machines.ts'
import { breaks, state } from './machine.ts'
import { call, lane, PLAIN, pair, piece, REASONING, subagent, word } from './open-machines.ts'

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

export type MachineName =
  | 'run'
  | 'step'
  | 'text'
  | 'reasoning'
  | 'thought'
  | 'call'
  | 'subagent'
  | 'lane'
  | 'piece'
  | 'word'
  | 'owner'
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
  piece,
  word,
  owner,
  message,
  kept_call,
  call_name,
}
