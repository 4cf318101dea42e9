/** One comparison: outputs are checked, times are taken, and pairs are held against bars. */
import { check, type Contender } from './contender.ts'
import { measure, type Rounds, type Timing } from './measure.ts'
import type { Bar, Report, Row } from './report.ts'
import { ratios, spread } from './statistics.ts'

export interface Comparison {
  readonly title: string
  /** What the time of one run is divided by. */
  readonly events: number
  readonly contenders: readonly Contender[]
  readonly claims: readonly Claim[]
}

/** Of two contenders, by name. The ratio is taken inside each round. */
export interface Claim {
  readonly subject: string
  readonly against: string
  /** `at most` is how many times as long the subject takes, `at least` how many times as fast it is. */
  readonly bar: Bar
  /** The ratio is told beside the others, and held against nothing. */
  readonly told?: true
}

/** @throws Error when not all contenders show the same. */
export async function compare({ title, events, contenders, claims }: Comparison, rounds: Rounds): Promise<Report> {
  await check(contenders)
  const timings = await measure(contenders, rounds)
  const rows = claims.map(({ subject, against, bar, told }): Row => {
    const [own, other] = [samplesOf(timings, subject), samplesOf(timings, against)]
    const faster = bar.kind === 'at least'
    const suspect = contenders.find(({ name }) => name === subject)
    return {
      what: `${title}: ${subject}`,
      against: faster ? `faster than ${against}` : against,
      value: spread(faster ? ratios(other, own) : ratios(own, other)),
      unit: 'x',
      ...(told ? {} : { bar }),
      ...(suspect && !told ? { suspect } : {}),
    }
  })
  return { tables: [{ title, events, timings }], rows }
}

/** Each of `subjects` against each of `others`. */
export function claims(subjects: readonly Contender[], others: readonly Contender[], bar: Bar): Claim[] {
  return subjects.flatMap((subject) =>
    others.map((other): Claim => ({ subject: subject.name, against: other.name, bar })),
  )
}

/** What the bars themselves can reach on this machine. */
export const told = (several: readonly Claim[]): Claim[] => several.map((claim) => ({ ...claim, told: true }))

function samplesOf(timings: readonly Timing[], name: string): readonly number[] {
  const found = timings.find((timing) => timing.name === name)
  if (!found) throw new TypeError(`a claim about '${name}', who takes no part`)
  return found.samples
}
