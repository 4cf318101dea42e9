/** Commits of the SQLite store, beside better-sqlite3 by hand on the main thread: both wait for the disk. */
import { inChild } from '../child.ts'
import { type Report, type Row, single } from '../report.ts'
import type { Setting } from '../setting.ts'

const CHILD = new URL('../children/sqlite.js', import.meta.url)

export async function run({ quick }: Setting): Promise<Report> {
  if (!(await isThere())) {
    console.log('  not measured: better-sqlite3 is not compiled (node scripts/sqlite.mjs)')
    return { tables: [], rows: [] }
  }
  const rows: Row[] = []
  for (const inFlight of [1, 16, 64]) {
    for (const who of ['factwire', 'plain']) {
      const { perSecond, p50, p99, loop } = measured(await inChild(CHILD, [], [who, `${inFlight}`, quick ? '1' : '5']))
      const name = who === 'plain' ? 'better-sqlite3 on the main thread' : 'factwire sqlite'
      rows.push({
        what: `${inFlight} in flight: ${name}`,
        against: 'commits, on the disk',
        value: single(perSecond),
        unit: '/s',
        detail: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, event loop p99 ${loop.toFixed(1)} ms`,
      })
    }
  }
  return { tables: [], rows }
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
