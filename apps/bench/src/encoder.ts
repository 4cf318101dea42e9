/** A wire's writer as a contender: neutral events to owned bytes. */
import { type AgentEvent, writer } from '@factwire/core'
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
      // As the limit walks: iterators are not what is measured.
      for (let at = 0; at < events.length; at++) {
        const text = push(events[at] as AgentEvent)
        if (text !== '') write(text)
      }
      const rest = close()
      if (rest !== '') write(rest)
      end()
    },
  }
}
