/**
 * One contender alone, again and again, for a profiler or for a counter of instructions. Arguments: a wire, a workload
 * (`text`, `arguments`, `mixed`), who (`write`, `limit`, `read`), and how many runs.
 */
import type { Contender } from '../contender.ts'
import { decoder } from '../decoder.ts'
import { encoder } from '../encoder.ts'
import { limit } from '../limit.ts'
import { streamOf } from '../stream.ts'
import { findWires, isReadable, isWritable, type Wire } from '../wires.ts'
import { argumentsRun, mixedRun, textRun, type Workload } from '../workload.ts'

const [name, kind = 'text', who = 'write', runs = '100'] = process.argv.slice(2)
const workload = workloadOf()
const contender = contenderOf((await findWires()).find((found) => found.name === name))

let size = 0
for (let run = 0; run < Number(runs); run++) await contender.run((piece) => void (size += piece.length))
console.log(`${runs} runs of ${workload.events.length} events, ${size} units`)

function workloadOf(): Workload {
  if (kind === 'arguments') return argumentsRun(5000)
  return kind === 'mixed' ? mixedRun() : textRun(20_000)
}

function contenderOf(wire: Wire | undefined): Contender {
  if (!wire || !isWritable(wire)) throw new TypeError(`no wire '${name}' that can be written`)
  if (who === 'limit') return limit(wire, workload)
  if (who === 'write') return encoder(wire, workload)
  if (!isReadable(wire)) throw new TypeError(`the wire '${name}' cannot be read`)
  return decoder(wire, streamOf(wire, workload))
}
