import { expect, test } from 'vitest'
import { claims, compare } from '../src/compare.ts'
import type { Contender } from '../src/contender.ts'
import { random } from '../src/random.ts'
import { atLeast, atMost, isMet } from '../src/report.ts'

/** Takes about as long as it is told to. */
const busy = (name: string, work: number): Contender => ({
  name,
  run(take) {
    let value = 0
    for (let step = 0; step < work * 1e5; step++) value = (value * 31 + step) % 1_000_003
    take(value < 0 ? 'never' : 'done')
  },
})

const ROUNDS = { rounds: 3, order: random(1), warmUp: 1e6 }
// CPU time is what is measured; a busy machine may take long over it.
const PATIENCE = 60_000

test(
  'who takes longer has the greater ratio, whichever way it is asked',
  async () => {
    const [short, long] = [busy('short', 2), busy('long', 20)]
    const asked = [...claims([long], [short], atMost(2)), ...claims([short], [long], atLeast(2))]
    const { rows, tables } = await compare(
      { title: 'work', events: 10, contenders: [short, long], claims: asked },
      ROUNDS,
    )
    expect(rows.map(isMet)).toEqual([false, true])
    expect(rows.map(({ what, against }) => [what, against])).toEqual([
      ['work: long', 'short'],
      ['work: short', 'faster than long'],
    ])
    expect(tables[0]?.timings.map(({ samples }) => samples.length)).toEqual([3, 3])
  },
  PATIENCE,
)

test('nobody is measured before the answers are the same', async () => {
  const wrong: Contender = { name: 'wrong', run: (take) => take('no') }
  const comparison = { title: 'work', events: 1, contenders: [busy('right', 1), wrong], claims: [] }
  await expect(compare(comparison, ROUNDS)).rejects.toThrow(/different/)
})

test('a claim about somebody who takes no part is refused', async () => {
  const [one] = [busy('one', 1)]
  const comparison = {
    title: 'work',
    events: 1,
    contenders: [one],
    claims: claims([one], [busy('other', 1)], atMost(1)),
  }
  await expect(compare(comparison, ROUNDS)).rejects.toThrow(/'other'/)
})
