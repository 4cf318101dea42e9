/** A run as AG-UI events, for peers that take those. */
import { writer } from '@factwire/core'
import type { Writable } from '../wires.ts'
import type { Workload } from '../workload.ts'

/** Gives the events of the neutral event at an index: a fragment's is made anew each time, as in a server. */
export function agUiEvents<Event>(
  wire: Writable,
  { context, events }: Workload,
  textEvent: (messageId: string, delta: string) => Event,
): (at: number) => readonly Event[] {
  const { push } = writer(wire, context)
  const frames = events.map((event) => parsed<Event>(push(event)))
  return (at) => {
    const known = frames[at] ?? []
    const event = events[at]?.event
    if (event?.type !== 'text_delta' || known.length !== 1) return known
    return [textEvent(event.message_id ?? '', event.delta)]
  }
}

function parsed<Event>(text: string): Event[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as Event)
}
