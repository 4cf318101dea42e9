/** Whether a wire's writer, and the limit that is read off what it writes, are what they are said to be. */
import { check, type Contender } from './contender.ts'
import { theWhole, understood } from './conveyed.ts'
import { templated } from './limit.ts'
import { heard } from './shown.ts'
import { streamOf, told } from './stream.ts'
import { isReadable, type Writable } from './wires.ts'
import type { Workload } from './workload.ts'

/** @throws Error where something is not written, or the limit is slower than it has to be. */
export async function checkWritten(wire: Writable, workload: Workload, ours: Contender): Promise<void> {
  await check([told(streamOf(wire, workload)), { ...ours, shows: heard(wire) }])
  if (isReadable(wire)) await check([theWhole(wire, workload), { ...ours, shows: understood(wire) }])
  const share = templated(wire, workload)
  if (share < 0.9) throw new Error(`the limit of ${wire.name} has a template for ${share * 100} % of its fragments`)
}
