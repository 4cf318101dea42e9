/** What it takes to import each package, and some others, in a new process. */
import { numberInChild } from '../child.ts'
import type { Report, Row } from '../report.ts'
import type { Setting } from '../setting.ts'
import { spread } from '../statistics.ts'
import { entryOf, packageNames } from '../wires.ts'

const CHILD = new URL('../children/import.js', import.meta.url)

const PEERS = ['@ag-ui/encoder', '@ag-ui/client', '@tanstack/ai', 'ai', 'ai-7', 'openai']

export async function run({ quick }: Setting): Promise<Report> {
  const own = packageNames.map((name) => ({ name: `@factwire/${name}`, specifier: entryOf(name).href }))
  const others = PEERS.map((name) => ({ name, specifier: import.meta.resolve(name) }))
  const subjects = [...own, ...others].map((subject) => ({ ...subject, samples: new Array<number>() }))
  for (let round = 0; round < (quick ? 1 : 7); round++) {
    for (const { specifier, samples } of subjects) samples.push(await numberInChild(CHILD, [], [specifier]))
  }
  const rows = subjects.map(({ name, samples }): Row => ({
    what: name,
    against: 'import, CPU time',
    value: spread(samples),
    unit: 'ms',
  }))
  return { tables: [], rows }
}
