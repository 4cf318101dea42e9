/**
 * The stream of one message as data: its start, its blocks one after the other, why it stops, and its end.
 *
 * The official client adds up whatever comes: of most breaches it loses something and says nothing. What an event does is in `moves.ts`,
 * what the rules say in `rules.ts`.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { type Grammar, type Machine, type MachineState, STREAM_OVER } from '@factwire/core'
import { moves } from './moves.ts'
import { rules } from './rules.ts'
import type { MessagesFrame } from './wire.ts'

/** Once the message has begun. `blocks`: whether it has any. */
function begun(blocks: boolean, own: string, more: MachineState): MachineState {
  const suffix = blocks ? '' : '_empty'
  return {
    ...more,
    on: {
      start: { breaks: 'start-once', to: 'refused' },
      delta: blocks ? own : { breaks: 'block-begun', to: 'refused' },
      ends: `stopping${suffix}`,
      waits: `pausing${suffix}`,
      counts: own,
      error: 'failed',
      stop: { breaks: 'delta-missing', to: `finished${suffix}` },
      [STREAM_OVER]: { breaks: 'stop-missing' },
      ...more.on,
    },
  }
}

/** It has said why it stops. */
function stopping(blocks: boolean, own: string, end: 'finished' | 'waiting'): MachineState {
  const suffix = blocks ? '' : '_empty'
  const late = { breaks: 'delta-last' }
  return begun(blocks, `${own}${suffix}`, {
    end,
    on: {
      block_start: { ...late, to: own },
      block_stop: late,
      ...(blocks ? { delta: late } : {}),
      ends: { breaks: 'delta-once', to: `stopping${suffix}` },
      waits: { breaks: 'delta-once', to: `pausing${suffix}` },
      stop: `${end}${suffix}`,
    },
  })
}

/** It has ended. Clients read on, and only some of what comes makes them give up. */
function over(blocks: boolean, own: string, end: 'finished' | 'waiting'): MachineState {
  const suffix = blocks ? '' : '_empty'
  return {
    on: {
      start: { breaks: 'start-once', to: 'refused' },
      ...(blocks ? {} : { delta: { breaks: 'block-begun', to: 'refused' } }),
      block_start: { breaks: 'nothing-after', to: own },
      error: { breaks: 'nothing-after', to: 'failed' },
      [STREAM_OVER]: `${own}${suffix}`,
    },
    otherwise: 'nothing-after',
    end,
  }
}

const run: Machine = {
  initial: 'new',
  states: {
    new: {
      on: { start: 'empty', error: 'failed', whole: 'finished', [STREAM_OVER]: { breaks: 'start-missing' } },
      otherwise: 'start-first',
    },
    empty: begun(false, 'empty', { on: { block_start: 'open' } }),
    open: begun(true, 'open', { on: {} }),
    stopping_empty: stopping(false, 'stopping', 'finished'),
    stopping: stopping(true, 'stopping', 'finished'),
    pausing_empty: stopping(false, 'pausing', 'waiting'),
    pausing: stopping(true, 'pausing', 'waiting'),
    finished_empty: over(false, 'finished', 'finished'),
    finished: over(true, 'finished', 'finished'),
    waiting_empty: over(false, 'waiting', 'waiting'),
    waiting: over(true, 'waiting', 'waiting'),
    failed: { on: { [STREAM_OVER]: 'failed' }, otherwise: 'nothing-after', deaf: true, end: 'failed' },
    /** The client has given up. */
    refused: { on: { [STREAM_OVER]: 'refused' }, deaf: true },
  },
}

const opens = { start_text: 'text', start_thinking: 'thinking', start_call: 'call', start_whole: 'whole' }
const again = Object.fromEntries(
  Object.entries(opens).map(([input, to]) => [input, { breaks: 'blocks-in-order', to }] as const),
)

/** By index. */
const block: Machine = {
  initial: 'unknown',
  states: {
    unknown: {
      on: { ...opens, passed_over: { breaks: 'blocks-in-order' }, other: 'unknown', message_delta: 'unknown' },
      otherwise: 'block-open',
    },
    text: writing('text', 'text_delta', 'citations_delta'),
    thinking: writing('thinking', 'thinking_delta', 'signature_delta'),
    call: writing('call', 'input_json_delta'),
    whole: writing('whole'),
    closed: {
      on: { ...again, passed_over: 'closed', other: 'closed', message_delta: 'closed' },
      otherwise: 'block-open',
    },
  },
}

function writing(own: string, ...deltas: readonly string[]): MachineState {
  return {
    on: {
      ...Object.fromEntries(deltas.map((delta) => [delta, own])),
      ...again,
      stop: 'closed',
      passed_over: own,
      other: { breaks: 'blocks-in-turn' },
      message_delta: { breaks: 'delta-last' },
    },
    otherwise: 'delta-fits',
  }
}

/** By the id of a call that the client is to run. */
const offered: Machine = {
  initial: 'free',
  states: { free: { on: { call: 'used' } }, used: { on: { call: { breaks: 'call-ids-differ' } } } },
}

/** By the id of a call that a server runs. */
const served: Machine = {
  initial: 'unknown',
  states: {
    unknown: { on: { call: 'running', result: { breaks: 'result-of-call' } } },
    running: {
      on: { call: { breaks: 'call-ids-differ' }, result: 'answered', ends: { breaks: 'call-answered' } },
    },
    answered: { on: { call: { breaks: 'call-ids-differ' }, result: { breaks: 'result-of-call' } } },
  },
}

/** Whether the client is to run anything. */
const offers: Machine = {
  initial: 'none',
  states: {
    none: { on: { offer: 'some', waits: { breaks: 'reason-fits' } } },
    some: { on: { ends: { breaks: 'reason-fits' } } },
  },
}

export const grammar: Grammar<MessagesFrame> = {
  machines: { run, block, offered, served, offers },
  rules,
  moves,
}
