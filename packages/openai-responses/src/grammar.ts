/**
 * The stream of one response as data: it is created, its items are begun, filled and done, and one event ends it.
 *
 * What an event does is in `moves.ts`, what the rules say in `rules.ts`.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
import { type Grammar, type Machine, type MachineState, STREAM_OVER } from '@factwire/core'
import { moves } from './moves.ts'
import { rules } from './rules.ts'
import type { ResponsesFrame } from './wire.ts'

const over = (own: string, end: MachineState['end']): MachineState => ({
  on: { done: own, [STREAM_OVER]: own },
  otherwise: 'end-last',
  deaf: true,
  ...(end ? { end } : {}),
})

const run: Machine = {
  initial: 'new',
  states: {
    new: {
      on: {
        created: 'running',
        error: 'failed',
        done: { breaks: 'answer-missing', to: 'refused' },
        [STREAM_OVER]: { breaks: 'answer-missing' },
      },
      otherwise: 'created-first',
    },
    running: {
      on: {
        created: { breaks: 'created-once' },
        event: 'running',
        finished: 'finished',
        waiting: 'waiting',
        failed: 'failed',
        error: 'failed',
        done: { breaks: 'end-told', to: 'refused' },
        [STREAM_OVER]: { breaks: 'end-told' },
      },
    },
    finished: over('finished', 'finished'),
    waiting: over('waiting', 'waiting'),
    failed: over('failed', 'failed'),
    /** The end mark came, and there was no end. */
    refused: over('refused', undefined),
  },
}

/** By the id of the response. */
const response: Machine = {
  initial: 'unknown',
  states: { unknown: { on: { named: 'known' } }, known: { on: { other: { breaks: 'one-response' } } } },
}

/** By `output_index`. */
const index: Machine = {
  initial: 'free',
  states: {
    free: { on: { added: 'taken' } },
    taken: { on: { added: { breaks: 'index-once' }, claimed: { breaks: 'output-in-place' } } },
  },
}

/** By id. */
const id: Machine = {
  initial: 'free',
  states: { free: { on: { added: 'used' } }, used: { on: { added: { breaks: 'ids-differ' } } } },
}

/** By index, kind and id of an item: what events address. */
const place: Machine = {
  initial: 'empty',
  states: { empty: { on: { added: 'begun', used: { breaks: 'item-begun' } } }, begun: { on: {} } },
}

const left = { breaks: 'item-left' }
const unended = { breaks: 'item-done' }

/** By kind and id of an item: whether it is done. */
const item: Machine = {
  initial: 'unknown',
  states: {
    unknown: { on: { added: 'open', offered: 'offered' } },
    open: { on: { done: 'done', final: { ...unended, to: 'done' }, completed: left, given_up: unended } },
    /** A call that the client is to run once it is done: before that it may be given up. */
    offered: { on: { done: 'done', final: { ...unended, to: 'done' }, completed: left } },
    done: { on: { done: { breaks: 'item-done-once' } } },
  },
}

/** What is said in an item, part by part: its text, or its summary. */
function parts(closed: string): Machine {
  const missing = { breaks: 'part-begun' }
  const again = { breaks: 'part-once' }
  const late = { breaks: 'part-over' }
  return {
    initial: 'none',
    states: {
      none: {
        on: { begin: 'open', piece: missing, text: missing, end: missing, whole: { breaks: closed, to: 'closed' } },
      },
      open: {
        on: {
          begin: again,
          bare: 'none',
          text: 'told',
          end: { breaks: closed, to: 'closed' },
          whole: { breaks: closed, to: 'closed' },
        },
      },
      told: {
        on: {
          begin: again,
          bare: 'none',
          piece: late,
          text: late,
          end: 'closed',
          whole: { breaks: closed, to: 'closed' },
        },
      },
      closed: { on: { begin: again, bare: 'none', piece: late, text: late, end: late } },
    },
  }
}

/** The arguments of a call. */
const callArguments: Machine = {
  initial: 'open',
  states: {
    open: { on: { text: 'told', end: { breaks: 'arguments-told', to: 'told' } } },
    told: { on: { piece: { breaks: 'part-over' }, text: { breaks: 'part-over' } } },
  },
}

/** What is never right, wherever it stands. */
const frame: Machine = {
  initial: 'any',
  states: {
    any: {
      on: Object.fromEntries(['event-known', 'item-named', 'whole-response'].map((rule) => [rule, { breaks: rule }])),
    },
  },
}

export const grammar: Grammar<ResponsesFrame> = {
  machines: {
    run,
    response,
    index,
    id,
    place,
    item,
    content: parts('part-done'),
    summary: parts('part-done'),
    arguments: callArguments,
    frame,
  },
  rules,
  moves,
}
