/** What every group of benchmarks is given. */
import type { Rounds } from './measure.ts'
import type { Report } from './report.ts'
import type { Wire } from './wires.ts'

export interface Setting {
  readonly wires: readonly Wire[]
  /** Fewer rounds and smaller sizes: to see that everything runs, and about where things stand. */
  readonly quick: boolean
  readonly rounds: Rounds
  /** Fewer: where somebody takes a tenth of a second for one run. */
  readonly slowRounds: Rounds
}

export interface Group {
  readonly name: string
  readonly title: string
  load(): Promise<{ readonly run: (setting: Setting) => Promise<Report> }>
}
