/** A run with what became of its deltas: what most laws try. */
import type { AgentEvent, FoldOptions } from '@factwire/core'
import fc from 'fast-check'
import { type Disturbance, anyDisturbance, disturb } from './disturb.ts'
import { type LiveRun, anyResumedRun, anyRun } from './run.ts'

export interface Sample {
  readonly run: LiveRun
  /** The segment that the run goes on from. */
  readonly first?: LiveRun
  readonly disturbance: Disturbance
  /** The facts carry what was thought. */
  readonly reasoning: boolean
  /** A place in the stream, in thousandths. */
  readonly at: number
}

const anyAt = fc.integer({ min: 0, max: 1000 })

/** Runs of one segment. */
export const anySample: fc.Arbitrary<Sample> = fc.record({
  run: anyRun(),
  disturbance: anyDisturbance,
  reasoning: fc.boolean(),
  at: anyAt,
})

/** Runs of one segment, some with tool ids that come again, and runs that go on after they had waited. */
export const anySegment: fc.Arbitrary<Sample> = fc.oneof(
  { weight: 5, arbitrary: anySample },
  {
    weight: 1,
    arbitrary: fc.record({
      run: fc.oneof(anyRun({ repeats: 'between steps' }), anyRun({ repeats: 'everywhere' })),
      disturbance: anyDisturbance,
      reasoning: fc.boolean(),
      at: anyAt,
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ resumed: anyResumedRun(), disturbance: anyDisturbance, reasoning: fc.boolean(), at: anyAt })
      .map(({ resumed, ...rest }): Sample => ({ run: resumed.second, first: resumed.first, ...rest })),
  },
)

const foldOptions = ({ reasoning }: Sample): FoldOptions => (reasoning ? { reasoning: 'text' } : {})

/** The events that arrive. */
export const liveEvents = (sample: Sample): AgentEvent[] => disturb(sample.run, sample.disturbance, foldOptions(sample))

/** The facts alone. */
export const factEvents = (sample: Sample): AgentEvent[] => disturb(sample.run, { kind: 'none' }, foldOptions(sample))

/** How many of `length` things come before the sample's place. */
export const placeIn = ({ at }: Sample, length: number): number => Math.floor((at * length) / 1000)
