/** How the cost of a run grows with its length. */
import type { Contender } from './contender.ts'
import { cpuTime, type Rounds, warmUp } from './measure.ts'
import type { Bar, Row } from './report.ts'
import { shuffled } from './random.ts'
import { type Growth, growth, spread } from './statistics.ts'

export interface Subject {
  readonly name: string
  /** Whether the size is the number of events, or that of something else in the run. */
  readonly unit: 'event' | 'run'
  /** Whoever takes part, with a run of this length. */
  of(size: number): Contender
}

/** Exponents in each round: over all sizes, which double, and over the last doubling. */
export async function exponents(
  subject: Subject,
  sizes: readonly number[],
  bar: Bar,
  { rounds, order }: Rounds,
): Promise<Row[]> {
  const runners = sizes.map((size, index) => ({ index, contender: subject.of(size), repeats: 1 }))
  for (const runner of runners) runner.repeats = await warmUp(runner.contender, WARM_UP)
  const found: Growth[] = []
  let least = sizes.map(() => Infinity)
  for (let round = 0; round < rounds; round++) {
    const costs = sizes.map(() => 0)
    for (const { index, contender, repeats } of shuffled(runners, order)) {
      // The lesser of two: what comes between only ever adds.
      const [one, other] = [await cpuTime(contender, repeats), await cpuTime(contender, repeats)]
      costs[index] = Math.min(one, other) / repeats
    }
    found.push(growth(sizes, costs))
    least = least.map((cost, index) => Math.min(cost, costs[index] ?? cost))
  }
  const suspect = runners.at(-1)?.contender
  return rowsOf(subject, sizes, found, least).map((row) => ({ ...row, bar, ...(suspect ? { suspect } : {}) }))
}

/** Nanoseconds. The sizes warm each other up. */
const WARM_UP = 20e6

/** Of somebody who may be quadratic: once for each size, until the next would take more than about `longest` nanoseconds. */
export async function peerExponent(subject: Subject, sizes: readonly number[], longest = LONGEST): Promise<Row[]> {
  const reached: number[] = []
  const costs: number[] = []
  for (const size of sizes) {
    const contender = subject.of(size)
    if (reached.length === 0) await warmUp(contender, PEER_WARM_UP)
    const cost = await cpuTime(contender, 1)
    reached.push(size)
    costs.push(cost)
    // Twice the size, four times the work.
    if (cost * 4 > longest) break
  }
  return rowsOf(subject, reached, [growth(reached, costs)], costs)
}

const PEER_WARM_UP = 250e6
const LONGEST = 2e9

function rowsOf(
  { name, unit }: Subject,
  sizes: readonly number[],
  found: readonly Growth[],
  costs: readonly number[],
): Row[] {
  const per = costs.map((cost, index) => Math.round(cost / (unit === 'event' ? (sizes[index] ?? 1) : 1000)))
  const detail = `${per.join(', ')} ${unit === 'event' ? 'ns an event' : 'µs'}`
  const row = { what: name, unit: '' }
  const all = { ...row, against: `exponent, ${ends(sizes)}`, value: spread(found.map((each) => each.all)), detail }
  const last = { ...row, against: `exponent, ${ends(sizes.slice(-2))}`, value: spread(found.map((each) => each.last)) }
  // Of two sizes both are the same.
  return sizes.length > 2 ? [all, last] : [all]
}

function ends(sizes: readonly number[]): string {
  return [sizes[0], sizes.at(-1)].map((size = 0) => `${size / 1000} k`).join(' to ')
}
