/** One contender alone, again and again: for a profiler, or for a counter of instructions. */
import type { Contender } from './contender.ts'
import { decoder } from './decoder.ts'
import { encoder } from './encoder.ts'
import { limit } from './limit.ts'
import { streamOf } from './stream.ts'
import { isReadable, isWritable, type Wire } from './wires.ts'
import { argumentsRun, mixedRun, textRun, type Workload } from './workload.ts'

/**
 * `wire/workload/who/runs`, such as `sse/text/write/100`: the workload is `text`, `arguments` or `mixed`, who is `write`,
 * `limit` or `read`. @throws TypeError for anything else.
 */
export async function solo(asked: string, wires: readonly Wire[]): Promise<string> {
  const [name, kind, who, count] = asked.split('/')
  const runs = Number(count)
  const wire = wires.find((found) => found.name === name)
  const workload = workloadOf(kind)
  const contender = wire && workload && contenderOf(who, wire, workload)
  if (!contender || !(runs > 0)) throw new TypeError(`no such solo: '${asked}'; there is, say, sse/text/write/100`)
  let size = 0
  for (let run = 0; run < runs; run++) await contender.run((piece) => void (size += piece.length))
  return `${contender.name}: ${runs} runs of ${workload.events.length} events, ${size} units`
}

function workloadOf(kind: string | undefined): Workload | undefined {
  switch (kind) {
    case 'text':
      return textRun(20_000)
    case 'arguments':
      return argumentsRun(5000)
    case 'mixed':
      return mixedRun()
    default:
      return undefined
  }
}

function contenderOf(who: string | undefined, wire: Wire, workload: Workload): Contender | undefined {
  if (!isWritable(wire)) return undefined
  switch (who) {
    case 'write':
      return encoder(wire, workload)
    case 'limit':
      return limit(wire, workload)
    case 'read':
      return isReadable(wire) ? decoder(wire, streamOf(wire, workload)) : undefined
    default:
      return undefined
  }
}
