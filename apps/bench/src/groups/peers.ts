/** How many times faster a wire is written here than by others that serve agents, text deltas to bytes; and by the least that could be. */
import { claims, compare, told } from '../compare.ts'
import type { Contender } from '../contender.ts'
import { encoder } from '../encoder.ts'
import { limit } from '../limit.ts'
import { agUiEncoder } from '../peers/ag-ui-encoder.ts'
import { aiSdk } from '../peers/ai-sdk.ts'
import { tanstackEvents } from '../peers/tanstack.ts'
import { atLeast, merged, type Report } from '../report.ts'
import type { Setting } from '../setting.ts'
import { heard, withoutIds } from '../shown.ts'
import { isWritable } from '../wires.ts'
import { textRun } from '../workload.ts'

export async function run({ wires, quick, rounds, slowRounds }: Setting): Promise<Report> {
  const workload = textRun(quick ? 5000 : 20_000)
  const events = workload.events.length
  const reports: Report[] = []
  const ours: Contender[] = []
  const limits: Contender[] = []
  for (const wire of wires.filter(isWritable)) {
    const own = encoder(wire, workload)
    ours.push({ ...own, shows: heard(wire) })
    limits.push({ ...limit(wire, workload), shows: heard(wire) })
    if (wire.name !== 'ag-ui') continue
    const [official, tanstack] = [agUiEncoder(wire, workload), tanstackEvents(wire, workload)]
    const least = limit(wire, workload)
    const contenders = [{ ...own, shows: withoutIds }, { ...least, shows: withoutIds }, official, tanstack]
    const claimed = [
      ...claims([own], [official], atLeast(2.5)),
      ...claims([own], [tanstack], atLeast(9)),
      ...told(claims([least], [official, tanstack], atLeast(1))),
    ]
    reports.push(await compare({ title: 'text, the same bytes', events, contenders, claims: claimed }, rounds))
  }
  const sdks = aiSdk(workload)
  const contenders = [...ours, ...limits, ...sdks]
  const claimed = [...claims(ours, sdks, atLeast(30)), ...told(claims(limits, sdks, atLeast(1)))]
  reports.push(await compare({ title: 'text, the same words', events, contenders, claims: claimed }, slowRounds))
  return merged(reports)
}
