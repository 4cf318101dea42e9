/** What a number on the last frame of a group promises: to see the whole group again changes nothing. */
import { anyDisturbance, anyRun, context, disturb, groupsOf } from '@factwire/conformance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reduce } from '../src/reduce.ts'
import { transcoder } from '../src/transcoder.ts'
import type { View } from '../src/view.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 500)
const timeout = 600_000

/** Whatever a person sees; an empty turn is none. */
const seen = ({ turns, ...rest }: View): unknown => ({
  ...rest,
  turns: turns.filter(({ text, calls, reasoning }) => text !== '' || reasoning !== '' || calls.length > 0),
})

test(
  'a client that was cut inside a group and sees it again ends with the same view',
  () => {
    const anyCuts = fc.array(fc.record({ at: fc.nat(), kept: fc.nat() }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(anyRun(), anyDisturbance, anyCuts, (run, disturbance, cuts) => {
        const whole = groupsOf(disturb(run, disturbance), transcoder(context))
        const torn = whole.map((group) => [group])
        for (const { at, kept } of cuts) {
          const group = whole[at % whole.length]
          // Something of the group was seen, but not its last frame, which carries the number.
          if (group && group.length > 1) torn[at % whole.length]?.unshift(group.slice(0, kept % group.length))
        }
        expect(seen(reduce(torn.flat(2)))).toEqual(seen(reduce(whole.flat())))
      }),
      { seed, numRuns },
    )
  },
  timeout,
)
