/** What a benchmark says: tables of times, and bars that are met or not. */
import type { Contender } from './contender.ts'
import type { Timing } from './measure.ts'
import type { Spread } from './statistics.ts'

export interface Bar {
  readonly kind: 'at most' | 'at least'
  readonly value: number
  /** Wished for, not asked for. */
  readonly stretch?: number
}

export interface Row {
  /** Who is measured, and doing what. */
  readonly what: string
  /** What the value is a multiple of, or how it was counted. */
  readonly against: string
  readonly value: Spread
  readonly unit: string
  /** Without one the value is only told. */
  readonly bar?: Bar
  /** What the value was found from. */
  readonly detail?: string
  /** Who to look at where the bar is not met. */
  readonly suspect?: Contender
}

export interface Table {
  readonly title: string
  /** What the time of one run is divided by. */
  readonly events: number
  readonly timings: readonly Timing[]
}

export interface Report {
  readonly tables: readonly Table[]
  readonly rows: readonly Row[]
}

export const atMost = (value: number, stretch?: number): Bar => ({
  kind: 'at most',
  value,
  ...(stretch === undefined ? {} : { stretch }),
})
export const atLeast = (value: number): Bar => ({ kind: 'at least', value })

/** By its median. Undefined where there is no bar. */
export function isMet({ value: { median }, bar }: Row): boolean | undefined {
  if (!bar) return undefined
  return bar.kind === 'at most' ? median <= bar.value : median >= bar.value
}

export const single = (value: number): Spread => ({ median: value, low: value, high: value })

export const merged = (reports: readonly Report[]): Report => ({
  tables: reports.flatMap(({ tables }) => tables),
  rows: reports.flatMap(({ rows }) => rows),
})

export const valueText = ({ value, unit }: Row): string => `${spreadText(value)} ${unit}`.trimEnd()

export function barText({ bar }: Row): string {
  if (!bar) return ''
  const stretch = bar.stretch === undefined ? '' : ` (${bar.stretch})`
  return `${bar.kind === 'at most' ? '<=' : '>='} ${bar.value}${stretch}`
}

export function spreadText({ median, low, high }: Spread): string {
  return low === high ? digits(median) : `${digits(median)} (${digits(low)} to ${digits(high)})`
}

const digits = (value: number): string => (Math.abs(value) < 100 ? value.toFixed(2) : String(Math.round(value)))
