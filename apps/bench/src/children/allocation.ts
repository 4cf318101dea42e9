/**
 * Bytes that one contender allocates for an event: the heap's and those of Buffers, in a nursery so big that nothing is
 * collected meanwhile. Arguments: a wire, and whose turn it is.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import type { Contender } from '../contender.ts'
import { encoder } from '../encoder.ts'
import { limit } from '../limit.ts'
import { warmUp } from '../measure.ts'
import { agUiEncoder } from '../peers/ag-ui-encoder.ts'
import { findWires, isWritable, type Writable } from '../wires.ts'
import { textRun } from '../workload.ts'

const [name, who] = process.argv.slice(2)
const wire = (await findWires()).filter(isWritable).find((found) => found.name === name)
if (!wire) throw new TypeError(`no wire '${name}'`)
const workload = textRun(20_000)
const contender = contenderOf(wire)

await warmUp(contender, 200e6)
globalThis.gc?.()
let collections = 0
const begin = performance.now()
const observer = new PerformanceObserver((list) => {
  collections += list.getEntries().filter(({ startTime }) => startTime >= begin).length
})
observer.observe({ entryTypes: ['gc'] })
const before = allocated()
await contender.run(() => {})
const bytes = allocated() - before
// The observer is told later.
await setTimeout(20)
if (collections > 0) throw new Error(`${collections} collections came between`)
console.log(JSON.stringify(bytes / workload.events.length))

function contenderOf(found: Writable): Contender {
  if (who === 'limit') return limit(found, workload)
  return who === 'peer' ? agUiEncoder(found, workload) : encoder(found, workload)
}

function allocated(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
