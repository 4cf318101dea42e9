/** One test for each law of a protocol. */
import { test } from 'vitest'
import { hunt } from './hunt.ts'
import { laws } from './laws/index.ts'
import { report } from './report.ts'
import { labelOf, type Subject } from './subject.ts'

export interface ConformOptions {
  /** How many samples each law gets. Default: `FACTWIRE_RUNS`, else 200. */
  readonly runs?: number
  /** Share of them, for a subject that differs little from one that gets all. Default 1. */
  readonly share?: number
  /** Default: `FACTWIRE_SEED`, else a fixed one. */
  readonly seed?: number
  /** In milliseconds, for one law. Default 10 minutes. */
  readonly timeout?: number
}

/** What a law came to, for whoever prints a table: vitest's reporters give it as the test's `meta.law`. */
export interface LawResult {
  readonly protocol: string
  readonly law: string
  readonly runs: number
  readonly held: number
  readonly failed: number
  readonly passedOver: number
}

/** What does not concern a wire, and why: `meta.excused` of a test that is skipped. */
export interface Excused {
  readonly protocol: string
  readonly law?: string
  readonly fault?: string
  readonly torture?: string
  readonly why: string
}

declare module 'vitest' {
  interface TaskMeta {
    law?: LawResult
    excused?: Excused
  }
}

export const DEFAULT_SEED: number = 20_261_130

/** Defines the tests. Whatever is peculiar to a wire, its author tests beside them. */
export function conform<Frame, Options>(subject: Subject<Frame, Options>, options: ConformOptions = {}): void {
  const name = labelOf(subject)
  const runs = (options.runs ?? numberFrom('FACTWIRE_RUNS') ?? 200) * (options.share ?? 1)
  const seed = options.seed ?? numberFrom('FACTWIRE_SEED') ?? DEFAULT_SEED
  for (const law of laws) {
    const excuse = law.excuse?.(subject as unknown as Subject<unknown>)
    if (excuse !== undefined) {
      // A law that does not concern the wire is seen as such.
      const excused: Excused = { protocol: name, law: law.name, why: excuse }
      test.skip(`${name}: ${law.name} (${excuse})`, { meta: { excused } }, () => {})
      continue
    }
    test(
      `${name}: ${law.name}`,
      async ({ task }) => {
        const { found, ...counts } = await hunt(subject, law, { seed, runs: Math.ceil(runs * (law.share ?? 1)) })
        task.meta.law = { protocol: name, law: law.name, ...counts }
        if (found) throw new Error(report(found))
      },
      options.timeout ?? 600_000,
    )
  }
}

/** An environment variable; undefined where it is empty or no number. */
function numberFrom(name: string): number | undefined {
  const value = Number(process.env[name] || Number.NaN)
  return Number.isFinite(value) ? value : undefined
}
