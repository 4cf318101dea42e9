/** What a delta costs each wire, from the neutral event to bytes that belong to whoever takes them. */
import { claims, compare, told } from '../compare.ts'
import { encoder } from '../encoder.ts'
import { limit } from '../limit.ts'
import type { Batch } from '../outlet.ts'
import { atMost, type Bar, merged, type Report } from '../report.ts'
import type { Setting } from '../setting.ts'
import { streams } from '../stream.ts'
import { isWritable } from '../wires.ts'
import { argumentsRun, textRun } from '../workload.ts'
import { checkWritten } from '../written.ts'

interface Way {
  readonly name: string
  readonly batch: Batch
  readonly bar: Bar
}

const WAYS: readonly Way[] = [
  { name: 'one Buffer an event', batch: 'each', bar: atMost(1.4, 1.15) },
  { name: '16 KiB a Buffer', batch: 16 * 1024, bar: atMost(1.3) },
]

export async function run({ wires, rounds }: Setting): Promise<Report> {
  const reports: Report[] = []
  for (const workload of [textRun(20_000), argumentsRun(5000)]) {
    for (const wire of wires.filter(isWritable)) {
      if (!streams(wire, workload)) continue
      for (const { name, batch, bar } of WAYS) {
        const [least, known] = [limit(wire, workload, batch), limit(wire, workload, batch, 'text')]
        const ours = encoder(wire, workload, batch)
        await checkWritten(wire, workload, ours)
        const comparison = {
          title: `${workload.name}, ${name}`,
          events: workload.events.length,
          contenders: [least, known, ours],
          claims: [...claims([ours], [least], bar), ...told(claims([ours], [known], bar))],
        }
        reports.push(await compare(comparison, rounds))
      }
    }
  }
  return merged(reports)
}
