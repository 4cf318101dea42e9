/** What a hub costs for each of a thousand readers, beside the least that node does for them. */
import { inChild } from '../child.ts'
import { atMost, type Report } from '../report.ts'
import type { Setting } from '../setting.ts'
import { ratios, spread } from '../statistics.ts'

const CHILD = new URL('../children/fan-out.js', import.meta.url)
const READERS = 1000
const PENDING = 16

export async function run({ quick }: Setting): Promise<Report> {
  const [rounds, ticks] = quick ? [3, 20] : [9, 60]
  const costs = await inChild(CHILD, [], [READERS, rounds, ticks].map(String))
  const [bare, one, many] = [samples(costs, 'bare'), samples(costs, 'one'), samples(costs, 'many')]
  const against = 'CPU, bare node:http writing a shared buffer'
  const each = (values: readonly number[]): string => `${spread(values).median.toFixed(2)} µs`
  return {
    tables: [],
    rows: [
      {
        what: `one event to ${READERS} readers: factwire hub`,
        against,
        value: spread(ratios(one, bare)),
        unit: 'x',
        bar: atMost(1.15),
        detail: `${each(one)} and ${each(bare)} a delivery`,
      },
      {
        what: `${PENDING} events of one tick to ${READERS} readers: factwire hub`,
        against: `CPU, ${PENDING} such writes`,
        value: spread(
          ratios(
            many,
            bare.map((value) => value * PENDING),
          ),
        ),
        unit: 'x',
        bar: atMost(0.15),
        detail: `${each(many)} a delivery`,
      },
    ],
  }
}

function samples(costs: unknown, name: string): readonly number[] {
  const given: unknown =
    typeof costs === 'object' && costs !== null ? Object.entries(costs).find(([key]) => key === name)?.[1] : undefined
  if (!Array.isArray(given)) throw new TypeError(`the child gave no ${name}`)
  return given.map(Number)
}
