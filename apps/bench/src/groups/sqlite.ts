/** Commits of the SQLite store, beside better-sqlite3 by hand on the main thread: both wait for the disk. */
import { loadavg } from 'node:os'
import { inChild } from '../child.ts'
import type { Report, Row } from '../report.ts'
import type { Setting } from '../setting.ts'
import { spread } from '../statistics.ts'

const CHILD = new URL('../children/sqlite.js', import.meta.url)

export async function run({ quick }: Setting): Promise<Report> {
  if (!(await isThere())) {
    console.log('  not measured: better-sqlite3 is not compiled (node scripts/sqlite.mjs)')
    return { tables: [], rows: [] }
  }
  const [rounds, seconds] = quick ? [1, '1'] : [3, '2']
  const samples = new Map<string, Measured[]>()
  // Whatever else the machine does, it does to both.
  for (let round = 0; round < rounds; round++) {
    for (const inFlight of IN_FLIGHT) {
      for (const who of WHO) {
        const sample = measured(await inChild(CHILD, [], [who, `${inFlight}`, seconds]))
        samples.set(`${inFlight} ${who}`, [...(samples.get(`${inFlight} ${who}`) ?? []), sample])
      }
    }
  }
  const [load = 0] = loadavg()
  console.log(`  ${rounds} rounds; the load of the machine was ${load.toFixed(1)} in the end`)
  const rows = IN_FLIGHT.flatMap((inFlight) =>
    WHO.map((who) => rowOf(inFlight, who, samples.get(`${inFlight} ${who}`) ?? [])),
  )
  return { tables: [], rows }
}

const IN_FLIGHT = [1, 16, 64]
const WHO = ['factwire', 'plain']

function rowOf(inFlight: number, who: string, samples: readonly Measured[]): Row {
  const name = who === 'plain' ? 'better-sqlite3 on the main thread' : 'factwire sqlite'
  const milliseconds = (of: (sample: Measured) => number): string => {
    const { low, high } = spread(samples.map(of))
    return low === high ? `${low.toFixed(1)} ms` : `${low.toFixed(1)} to ${high.toFixed(1)} ms`
  }
  return {
    what: `${inFlight} in flight: ${name}`,
    against: 'commits, on the disk',
    value: spread(samples.map(({ perSecond }) => perSecond)),
    unit: '/s',
    detail: `p50 ${milliseconds(({ p50 }) => p50)}, p99 ${milliseconds(({ p99 }) => p99)}, event loop p99 ${milliseconds(({ loop }) => loop)}`,
  }
}

async function isThere(): Promise<boolean> {
  try {
    const { default: Sqlite } = await import('better-sqlite3')
    new Sqlite(':memory:').close()
    return true
  } catch {
    return false
  }
}

interface Measured {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly loop: number
}

function measured(value: unknown): Measured {
  const given = new Map<string, unknown>(Object.entries(Object(value)))
  const number = (name: string): number => Number(given.get(name))
  return { perSecond: number('perSecond'), p50: number('p50'), p99: number('p99'), loop: number('loop') }
}
