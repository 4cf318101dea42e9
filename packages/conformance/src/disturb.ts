/** What a transport may do to the deltas of a run. Facts are never touched. */
import { type AgentEvent, type Delta, type FoldOptions, deltaEvent } from '@factwire/core'
import fc from 'fast-check'
import type { LiveRun } from './run.ts'
import { type Unit, units } from './stream.ts'
import { anyText } from './values.ts'

/** `echoed`: it comes again a little later. `late`: it comes then only, perhaps after the commit that has it. */
type Fate = 'kept' | 'lost' | 'doubled' | 'echoed' | 'late'

export type Disturbance =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  /** Only the first deltas arrive. In thousandths. */
  | { readonly kind: 'prefix'; readonly upTo: number }
  /** What becomes of each delta, in turn. */
  | { readonly kind: 'noise'; readonly fates: readonly Fate[] }
  /** Deltas that belong to nothing stand anywhere. */
  | { readonly kind: 'foreign'; readonly at: readonly number[]; readonly deltas: readonly Delta[] }

const isDelta = (unit: Unit): boolean => unit[0]?.tier === 'delta'

/** The events that arrive. Every fact does, in order. */
export function disturb(run: LiveRun, disturbance: Disturbance, options: FoldOptions = {}): AgentEvent[] {
  const stream = units(run, options)
  switch (disturbance.kind) {
    case 'all':
      return stream.flat()
    case 'none':
      return stream.filter((unit) => !isDelta(unit)).flat()
    case 'prefix': {
      const kept = Math.round((stream.filter(isDelta).length * disturbance.upTo) / 1000)
      let seen = 0
      return stream.filter((unit) => !isDelta(unit) || seen++ < kept).flat()
    }
    case 'noise':
      return noisy(stream, disturbance.fates).flat()
    case 'foreign': {
      disturbance.deltas.forEach((delta, index) => {
        stream.splice(Math.round(((disturbance.at[index] ?? 0) * stream.length) / 1000), 0, [deltaEvent(delta)])
      })
      return stream.flat()
    }
  }
}

function noisy(stream: readonly Unit[], fates: readonly Fate[]): Unit[] {
  const out: Unit[] = []
  const later: Unit[] = []
  let count = 0
  for (const unit of stream) {
    const fate = isDelta(unit) && fates.length > 0 ? fates[count++ % fates.length] : 'kept'
    if (fate !== 'lost' && fate !== 'late') out.push(unit)
    if (fate === 'doubled') out.push(unit)
    if (later.length > 2) out.push(...later.splice(0, 1))
    if (fate === 'echoed' || fate === 'late') later.push(unit)
  }
  return out
}

const anyForeign: fc.Arbitrary<Delta> = fc.oneof(
  fc.record({ type: fc.constant('text_delta' as const), delta: anyText }),
  fc.record({ type: fc.constant('reasoning_delta' as const), delta: anyText }),
  fc.record({
    type: fc.constant('text_delta' as const),
    delta: anyText,
    message_id: fc.constantFrom('run-1-assistant-0', 'run-1-assistant-1', 'run-1-assistant-9'),
    offset: fc.nat({ max: 9 }),
  }),
  fc.record({
    type: fc.constant('tool_call_delta' as const),
    id: fc.constantFrom('c0-0', 'c1-0', 'c0-1', 'c9', 'c0'),
    name: fc.constantFrom('search', 'other'),
    args_delta: anyText,
  }),
  fc.record({ type: fc.constant('step_started' as const), message_id: fc.constantFrom('run-1-assistant-1', 'x') }),
  fc.record({ type: fc.constant('stream_reset' as const), reason: fc.constant('why not') }),
  fc.record({
    type: fc.constant('tool_call_cancelled' as const),
    id: fc.constantFrom('c0-0', 'c1-0', 'c9'),
    name: fc.constant('search'),
    reason: fc.constant('lost'),
  }),
)

export const anyDisturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.constant<Disturbance>({ kind: 'all' }),
  fc.constant<Disturbance>({ kind: 'none' }),
  fc.integer({ min: 0, max: 1000 }).map((upTo): Disturbance => ({ kind: 'prefix', upTo })),
  fc
    .array(fc.constantFrom<Fate>('kept', 'kept', 'lost', 'doubled', 'echoed', 'late'), { maxLength: 20 })
    .map((fates): Disturbance => ({ kind: 'noise', fates })),
  fc
    .record({
      at: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 6, maxLength: 6 }),
      deltas: fc.array(anyForeign, { maxLength: 6 }),
    })
    .map(({ at, deltas }): Disturbance => ({ kind: 'foreign', at, deltas })),
)
