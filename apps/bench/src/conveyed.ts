/** What a whole run conveys, however a wire cuts it: its words to the letter, the results of its calls, and how it ends. */
import { type AgentEvent, type Fact, fateOf, reader, textOf } from '@factwire/core'
import { createSseReader } from '@factwire/sse'
import type { Contender } from './contender.ts'
import type { Readable, Writable } from './wires.ts'
import type { Workload } from './workload.ts'

/** The run itself, as far as a wire has words for it. */
export const theWhole = (wire: Writable, { events }: Workload): Contender => ({
  name: 'the whole run',
  run: (take) => take(conveyed(events, wire)),
})

/** What is read of all that was written. */
export function understood(wire: Writable & Readable): (output: string) => string {
  return (output) => {
    const { push, end } = reader(wire)
    return conveyed([...createSseReader().push(output).flatMap(push), ...end()], wire)
  }
}

function conveyed(events: readonly AgentEvent[], { fidelity }: Writable): string {
  const facts = events.flatMap(({ tier, event }) => (tier === 'fact' ? [event] : []))
  const said = facts.flatMap((fact) => (fact.type === 'assistant_message' ? [textOf(fact.content)] : []))
  const results = facts.flatMap((fact) =>
    fact.type === 'tool_result' && fidelity && fateOf(fidelity, fact).kept !== 'dropped' ? [textOf(fact.content)] : [],
  )
  // Wires with one text put a blank line between two messages.
  return JSON.stringify({
    said: said.filter((text) => text !== '').join('\n\n'),
    results,
    end: facts.findLast(ends)?.type,
  })
}

const ends = ({ type }: Fact): boolean => type === 'awaiting' || type === 'run_finished' || type === 'run_failed'
