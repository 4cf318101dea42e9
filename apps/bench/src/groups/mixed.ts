/** What a whole run of an agent costs each wire: reasoning, text, calls and their results. */
import { claims, compare } from '../compare.ts'
import { check } from '../contender.ts'
import { encoder } from '../encoder.ts'
import { limit } from '../limit.ts'
import { atMost, merged, type Report } from '../report.ts'
import type { Setting } from '../setting.ts'
import { heard } from '../shown.ts'
import { streamOf, told } from '../stream.ts'
import { isWritable } from '../wires.ts'
import { mixedRun } from '../workload.ts'

export async function run({ wires, rounds }: Setting): Promise<Report> {
  const workload = mixedRun()
  const reports: Report[] = []
  for (const wire of wires.filter(isWritable)) {
    const [least, ours] = [limit(wire, workload), encoder(wire, workload)]
    // The limit is read off the wire, and would be wrong where it is.
    await check([told(streamOf(wire, workload)), { ...ours, shows: heard(wire) }])
    const comparison = {
      title: 'mixed, one Buffer an event',
      events: workload.events.length,
      contenders: [least, ours],
      claims: claims([ours], [least], atMost(1.6)),
    }
    reports.push(await compare(comparison, rounds))
  }
  return merged(reports)
}
