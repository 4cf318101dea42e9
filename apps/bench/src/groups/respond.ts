/** What a served run costs, from a source that gives event after event to the body of the response. */
import { respond } from '@factwire/sse'
import { claims, compare } from '../compare.ts'
import type { Contender } from '../contender.ts'
import { drain } from '../drain.ts'
import { encoder } from '../encoder.ts'
import { aiSdk } from '../peers/ai-sdk.ts'
import { atLeast, atMost, merged, type Report } from '../report.ts'
import type { Setting } from '../setting.ts'
import { heard } from '../shown.ts'
import { isWritable, type Writable } from '../wires.ts'
import { textRun, type Workload } from '../workload.ts'

export async function run({ wires, quick, rounds, slowRounds }: Setting): Promise<Report> {
  const workload = textRun(quick ? 5000 : 20_000)
  const events = workload.events.length
  const title = 'text, end to end'
  const reports: Report[] = []
  const served: Contender[] = []
  for (const wire of wires.filter(isWritable)) {
    const [written, ours] = [encoder(wire, workload), response(wire, workload)]
    served.push({ ...ours, shows: heard(wire) })
    const comparison = { title, events, contenders: [written, ours], claims: claims([ours], [written], atMost(3)) }
    reports.push(await compare(comparison, rounds))
  }
  const sdks = aiSdk(workload)
  const comparison = { title, events, contenders: [...served, ...sdks], claims: claims(served, sdks, atLeast(8)) }
  reports.push(await compare(comparison, slowRounds))
  return merged(reports)
}

function response(wire: Writable, { context, events }: Workload): Contender {
  async function* source(): AsyncGenerator<Workload['events'][number]> {
    yield* events
  }
  return {
    name: `factwire ${wire.name} respond`,
    run: (take) => drain(respond(wire, source(), context).body, take),
  }
}
