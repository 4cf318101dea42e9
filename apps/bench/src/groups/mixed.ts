/** What a whole run of an agent costs each wire: reasoning, text, calls and their results. */
import { claims, compare, told } from '../compare.ts'
import { encoder } from '../encoder.ts'
import { limit } from '../limit.ts'
import { atMost, merged, type Report } from '../report.ts'
import type { Setting } from '../setting.ts'
import { isWritable } from '../wires.ts'
import { mixedRun } from '../workload.ts'
import { checkWritten } from '../written.ts'

const BAR = atMost(1.6)

export async function run({ wires, rounds }: Setting): Promise<Report> {
  const workload = mixedRun()
  const reports: Report[] = []
  for (const wire of wires.filter(isWritable)) {
    const [least, known, ours] = [limit(wire, workload), limit(wire, workload, 'each', 'text'), encoder(wire, workload)]
    await checkWritten(wire, workload, ours)
    const comparison = {
      title: 'mixed, one Buffer an event',
      events: workload.events.length,
      contenders: [least, known, ours],
      claims: [...claims([ours], [least], BAR), ...told(claims([ours], [known], BAR))],
    }
    reports.push(await compare(comparison, rounds))
  }
  return merged(reports)
}
