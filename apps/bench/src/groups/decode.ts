/** What it costs to read a wire back: pieces of 16 KiB to fragments, and to what a page shows. */
import { claims, compare } from '../compare.ts'
import { check, type Contender } from '../contender.ts'
import { decoder, reducer } from '../decoder.ts'
import { httpAgent } from '../peers/http-agent.ts'
import { atLeast, atMost, merged, type Report } from '../report.ts'
import type { Setting } from '../setting.ts'
import { splitAndParse, type Stream, streamOf, told } from '../stream.ts'
import { isReadable, isWritable } from '../wires.ts'
import { mixedRun, textRun } from '../workload.ts'

export async function run({ wires, quick, rounds, slowRounds }: Setting): Promise<Report> {
  const reports: Report[] = []
  for (const wire of wires) {
    if (!isWritable(wire) || !isReadable(wire)) continue
    for (const workload of [textRun(quick ? 5000 : 20_000), mixedRun()]) {
      const stream = streamOf(wire, workload)
      const ours = [decoder(wire, stream), ...(wire.name === 'sse' ? [reducer(stream)] : [])]
      reports.push(await besideLimit(`read ${workload.name}`, stream, ours, 1.6, { rounds }))
    }
    if (wire.name !== 'ag-ui') continue
    for (const workload of [textRun(2000), mixedRun(0.25)]) {
      const stream = streamOf(wire, workload)
      const [ours, peer] = [decoder(wire, stream), httpAgent(stream, workload.context)]
      const comparison = {
        title: `read ${workload.name}, ${workload.events.length} events`,
        events: stream.messages,
        contenders: [ours, peer],
        claims: claims([ours], [peer], atLeast(7)),
      }
      reports.push(await compare(comparison, slowRounds))
    }
  }
  return merged(reports)
}

export async function besideLimit(
  title: string,
  stream: Stream,
  ours: readonly Contender[],
  bar: number,
  { rounds }: Pick<Setting, 'rounds'>,
): Promise<Report> {
  await check([told(stream), ...ours])
  const least = splitAndParse(stream)
  const contenders = [
    { ...least, shows: () => stream.text },
    ...ours.map((own) => ({ ...own, shows: () => stream.text })),
  ]
  const comparison = { title, events: stream.messages, contenders, claims: claims(ours, [least], atMost(bar)) }
  return compare(comparison, rounds)
}
