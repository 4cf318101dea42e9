/** What new-wire allows, as data: the order of its frames, and what a client makes of a breach. */
import { type Grammar, type Move, STREAM_OVER } from '@factwire/core'
import type { Frame } from './wire.ts'

/** Where each rule stands: a link, or a place in the specification or in the source of the client. */
const SPEC = 'README.md of new-wire'

const RUN = 'run'
const MESSAGE = 'message'
const CALL = 'call'

export const grammar: Grammar<Frame> = {
  machines: {
    run: {
      initial: 'new',
      states: {
        new: { on: { start: 'running', [STREAM_OVER]: { breaks: 'end-told' } }, otherwise: 'start-first' },
        running: {
          on: {
            start: { breaks: 'start-once' },
            frame: 'running',
            finished: 'finished',
            waiting: 'waiting',
            failed: 'failed',
          },
          otherwise: 'end-told',
          rest: true,
        },
        finished: { on: { [STREAM_OVER]: 'finished' }, otherwise: 'end-last', end: 'finished' },
        waiting: { on: { [STREAM_OVER]: 'waiting' }, otherwise: 'end-last', end: 'waiting' },
        failed: { on: { [STREAM_OVER]: 'failed' }, otherwise: 'end-last', end: 'failed' },
      },
    },
    message: {
      initial: 'none',
      states: {
        none: { on: { named: 'open', dropped: 'none' }, otherwise: 'message-named' },
        open: { on: { dropped: 'none' } },
      },
    },
    call: {
      initial: 'unknown',
      states: {
        // Its message may be of an earlier stream.
        unknown: { on: { told: 'open' } },
        open: { on: { told: { breaks: 'call-once' }, answered: 'answered' }, otherwise: 'call-answered' },
        answered: { on: { told: { breaks: 'call-once' } }, rest: true },
      },
    },
  },
  rules: {
    'start-first': { says: 'A stream begins with its start.', force: 'rejected', see: SPEC },
    'start-once': { says: 'A run starts once in a stream.', force: 'rejected', see: SPEC },
    'end-told': { says: 'A stream ends with an end or an error.', force: 'demanded', see: SPEC },
    'end-last': { says: 'Nothing comes after the end.', force: 'rejected', see: SPEC },
    'message-named': {
      says: 'Text and calls come after the message that they belong to is named.',
      force: 'rejected',
      see: SPEC,
    },
    'call-once': { says: 'A call is told once.', force: 'demanded', see: SPEC },
    'call-answered': { says: 'A call has its result before the run ends.', force: 'demanded', see: SPEC },
  },
  moves,
}

function moves(frame: Frame): readonly Move[] {
  const inRun: Move = { machine: RUN, input: 'frame' }
  switch (frame.type) {
    case 'start':
      return [{ machine: RUN, input: 'start' }]
    case 'message':
      return [inRun, { machine: MESSAGE, input: 'named' }]
    case 'text':
      return [inRun, { machine: MESSAGE, input: 'filled' }]
    case 'drop':
      return [inRun, { machine: MESSAGE, input: 'dropped' }]
    case 'call':
      return [inRun, { machine: MESSAGE, input: 'filled' }, { machine: CALL, key: frame.id, input: 'told' }]
    case 'result':
      return [inRun, { machine: CALL, key: frame.call, input: 'answered' }]
    case 'end':
      if (frame.reason === 'waiting') return [{ machine: RUN, input: 'waiting' }]
      return [
        { machine: CALL, input: 'over', every: true },
        { machine: RUN, input: 'finished' },
      ]
    case 'error':
      return [
        { machine: CALL, input: 'over', every: true },
        { machine: RUN, input: 'failed' },
      ]
  }
}
