/** Faults that only this wire can have. */
import { type Fault, tampered } from '@factwire/conformance'
import type { Machine } from '@factwire/core'
import type { FlatEvent } from '../src/index.ts'

/** Another encoder: each event as it is written is told otherwise. */
function written(name: string, law: string, tell: (event: FlatEvent) => readonly FlatEvent[]): Fault {
  return {
    name,
    law,
    sabotage: (given) =>
      tampered(given, () => ({
        // The kit knows no wire, so it hands over frames as what they are to it: unknown.
        frames: (events) => events.flatMap((event) => tell(event as FlatEvent)),
      })),
  }
}

const without = (type: FlatEvent['event_type']): ((event: FlatEvent) => readonly FlatEvent[]) => {
  return (event) => (event.event_type === type ? [] : [event])
}

export const faults: readonly Fault[] = [
  written('what is repaired is not taken back first', 'truth wins', without('stream_reset')),
  written('steps do not end', 'well formed', without('step_end')),
  written('steps do not start', 'well formed', without('step_start')),
  written('calls are never made', 'well formed', without('tool_call_ready')),
  written('what was not committed is not cancelled', 'truth wins', without('tool_call_cancel')),
  written('arguments are written as their text', 'shows the truth', (event) =>
    event.event_type === 'tool_call_ready' ? [{ ...event, arguments: JSON.stringify(event.arguments) }] : [event],
  ),
  written('a refusal is written as any error', 'shows the truth', (event) => {
    if (event.event_type !== 'tool_call_done') return [event]
    const { metadata: _lost, ...result } = event.result
    return [{ ...event, result }]
  }),
  written('the result of a call has no message', 'round trip', (event) =>
    event.event_type === 'tool_call_done' ? [{ ...event, message_id: '' }] : [event],
  ),
  written('the end names another run', 'well formed', (event) =>
    event.event_type === 'run_finish' ? [{ ...event, run_id: 'another' }] : [event],
  ),
  {
    name: 'its grammar calls every place a resume point',
    law: 'join',
    sabotage({ protocol, ...rest }) {
      const { grammar } = protocol
      if (!grammar) return undefined
      const machines = Object.fromEntries(
        Object.entries(grammar.machines).map(([id, machine]) => [id, resting(machine)]),
      )
      const run = resting(grammar.machines.run)
      return { ...rest, protocol: { ...protocol, grammar: { ...grammar, machines: { ...machines, run } } } }
    },
  },
]

function resting({ states, ...machine }: Machine): Machine {
  return {
    ...machine,
    states: Object.fromEntries(Object.entries(states).map(([name, state]) => [name, { ...state, rest: true }])),
  }
}
