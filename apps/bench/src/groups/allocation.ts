/** What a text delta leaves behind for the garbage collector, its owned bytes included. */
import { numberInChild } from '../child.ts'
import { atMost, type Report, type Row, single } from '../report.ts'
import type { Setting } from '../setting.ts'
import { isWritable } from '../wires.ts'

const CHILD = new URL('../children/allocation.js', import.meta.url)

/** In MB: more than the whole workload allocates, so that nothing is collected. */
const FLAGS = ['--expose-gc', '--min-semi-space-size=512', '--max-semi-space-size=512']

export async function run({ wires, quick }: Setting): Promise<Report> {
  const rows: Row[] = []
  const measured = async (name: string, who: string): Promise<Pick<Row, 'against' | 'value' | 'unit'>> => ({
    against: 'allocated for an event',
    value: single(await numberInChild(CHILD, FLAGS, [name, who])),
    unit: 'B',
  })
  for (const { name } of wires.filter(isWritable)) {
    rows.push({ what: `text: factwire ${name}`, ...(await measured(name, 'ours')), bar: atMost(600) })
    if (quick) continue
    rows.push({ what: `text: limit ${name}`, ...(await measured(name, 'limit')) })
    if (name === 'ag-ui') rows.push({ what: 'text: @ag-ui/encoder encodeSSE', ...(await measured(name, 'peer')) })
  }
  return { tables: [], rows }
}
