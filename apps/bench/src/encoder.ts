/** A wire's writer as a contender: neutral events to owned bytes. */
import { writer } from '@factwire/core'
import type { Contender } from './contender.ts'
import { type Batch, outlet } from './outlet.ts'
import type { Writable } from './wires.ts'
import type { Workload } from './workload.ts'

export function encoder(wire: Writable, { context, events }: Workload, batch: Batch = 'each'): Contender {
  return {
    name: `factwire ${wire.name}`,
    run(take) {
      const { push, close } = writer(wire, context)
      const { write, end } = outlet(take, batch)
      for (const event of events) {
        const text = push(event)
        if (text !== '') write(text)
      }
      const rest = close()
      if (rest !== '') write(rest)
      end()
    },
  }
}
