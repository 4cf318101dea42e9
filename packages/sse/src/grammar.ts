/**
 * What may stand where in a stream of the SSE wire, as data.
 *
 * Its client takes events in any order. What it cannot use it lets go without a word, which counts as a warning here; the
 * other rules are what a reader may rely on. Whoever comes back after the end of a step needs nothing but what follows.
 */
import type { Grammar } from '@factwire/core'
import { call, identity, run, step, stepId, value } from './machines.ts'
import { moves } from './moves.ts'
import { rules } from './rules.ts'
import type { FlatEvent } from './wire.ts'

export const grammar: Grammar<FlatEvent> = {
  machines: { run, identity, step, 'step id': stepId, call, value },
  rules,
  moves,
}
