import { expect, test } from 'vitest'
import { exponents, peerExponent, type Subject } from '../src/exponent.ts'
import { random } from '../src/random.ts'
import { atMost, isMet } from '../src/report.ts'

const ROUNDS = { rounds: 1, order: random(1) }
// CPU time is what is measured; a busy machine may take long over it.
const PATIENCE = 60_000

/** Takes time like a power of the size. */
const powered = (exponent: number, scale: number): Subject => ({
  name: `power ${exponent}`,
  unit: 'event',
  of: (size) => ({
    name: 'powered',
    run(take) {
      let value = 0
      for (let step = 0; step < scale * size ** exponent; step++) value = (value * 31 + step) % 1_000_003
      take(value < 0 ? 'never' : 'done')
    },
  }),
})

test(
  'what is linear meets the bar, what is quadratic does not',
  async () => {
    const linear = await exponents(powered(1, 20_000), [8, 16, 32], atMost(1.5), ROUNDS)
    const quadratic = await exponents(powered(2, 2000), [8, 16, 32], atMost(1.5), ROUNDS)
    expect(linear.map(isMet)).toEqual([true, true])
    expect(quadratic.map(isMet)).toEqual([false, false])
  },
  PATIENCE,
)

test(
  'somebody who is too slow is not followed to the end',
  async () => {
    const [all] = await peerExponent(powered(2, 2000), [8, 16, 32, 64, 128, 256, 512], 20e6)
    expect(all?.detail?.split(',').length).toBeGreaterThan(1)
    expect(all?.detail?.split(',').length).toBeLessThan(6)
  },
  PATIENCE,
)
