/** One test for each small fault in a protocol: the law that is named for it must find it, with a small counter-example. */
import { test } from 'vitest'
import { DEFAULT_SEED, type Excused } from './conform.ts'
import type { Fault } from './fault.ts'
import { factFaults } from './faults/of-facts.ts'
import { showingFaults } from './faults/of-showing.ts'
import { streamFaults } from './faults/of-streams.ts'
import { wordFaults } from './faults/of-words.ts'
import { hunt } from './hunt.ts'
import { laws } from './laws/index.ts'
import { report } from './report.ts'
import { labelOf, type Subject } from './subject.ts'

export interface SabotageOptions {
  /** Faults of this wire alone. */
  readonly faults?: readonly Fault[]
  /** By a fault's name: why nobody can see it on this wire. */
  readonly unseen?: Readonly<Record<string, string>>
  /** By a fault's name: the law that finds it here, where it is another. */
  readonly laws?: Readonly<Record<string, string>>
  /** How many samples a law gets to find a fault. Default 2,000. */
  readonly runs?: number
}

/** What became of a fault: vitest's reporters give it as the test's `meta.fault`. */
export interface FaultResult {
  readonly protocol: string
  readonly fault: string
  readonly law: string
  /** Samples until it was found. */
  readonly runs: number
  /** Lines of the shrunk run. Absent: it was not found. */
  readonly lines?: number
}

declare module 'vitest' {
  interface TaskMeta {
    fault?: FaultResult
  }
}

const ADVICE =
  'Where nobody can see it on this wire, say why in `unseen`; where another law finds it, name that in `laws`.'

/** A counter-example that nobody wants to read is none. */
const MOST_LINES = 40

export const commonFaults: readonly Fault[] = [...streamFaults, ...showingFaults, ...factFaults, ...wordFaults]

/** Defines the tests. */
export function sabotage<Frame, Options>(subject: Subject<Frame, Options>, options: SabotageOptions = {}): void {
  const { faults = [], unseen = {}, laws: others = {}, runs = 2000 } = options
  const name = labelOf(subject)
  for (const fault of [...commonFaults, ...faults]) {
    // A law never looks into a frame: it hands them from one function of the subject to another.
    const broken = fault.sabotage(subject as unknown as Subject<unknown>)
    const title = `${name}: sabotage: ${fault.name}`
    const why = unseen[fault.name] ?? (broken ? undefined : 'the wire has nothing to say it with')
    if (!broken || why !== undefined) {
      // A fault that nobody can see on the wire is seen as such.
      const excused: Excused = { protocol: name, fault: fault.name, why: why ?? '' }
      test.skip(`${title} (${why})`, { meta: { excused } }, () => {})
      continue
    }
    test(
      title,
      async ({ task }) => {
        const lawName = others[fault.name] ?? fault.law
        const law = laws.find((candidate) => candidate.name === lawName)
        if (!law) throw new TypeError(`There is no law "${lawName}"`)
        const { found, runs: tried } = await hunt(broken, law, { seed: DEFAULT_SEED, runs })
        const result: FaultResult = { protocol: name, fault: fault.name, law: lawName, runs: tried }
        task.meta.fault = found ? { ...result, lines: found.run.length } : result
        if (!found) throw new Error(`The law "${lawName}" does not find it in ${tried} runs. ${ADVICE}`)
        if (found.run.length > MOST_LINES) throw new Error(`The counter-example is too long:\n${report(found)}`)
      },
      600_000,
    )
  }
}
