/** The neutral wire: one AgentEvent as JSON on each line. */
import {
  type AgentEvent,
  type Fact,
  FactwireError,
  type Failure,
  type OpenCall,
  type StreamFailureCode,
  endRun,
  factEvent,
  fold,
  parseEventText,
  stringify,
} from '@factwire/core'
import type { Input } from './input.ts'
import { lines } from './lines.ts'
import type { Bytes } from './source.ts'

/** The name of this wire. It is no protocol: it is what protocols are translated through. */
export const EVENTS = 'events'

export function eventText(event: AgentEvent): string {
  return `${stringify(event)}\n`
}

/** Reads neutral events, and holds them to the order that every producer keeps. */
export function eventsInput(bytes: Bytes): Input {
  let failure: Failure | undefined

  async function* events(): AsyncGenerator<AgentEvent> {
    const place = standing()
    let good = 0
    try {
      for await (const line of lines(bytes)) {
        const event = line.trim() === '' ? undefined : parseEventText(line)
        if (event?.tier === 'fact') place.follow(event.event)
        good++
        if (event) yield event
      }
      if (!place.rests()) {
        const where = good === 0 ? 'it is empty' : `it stops after line ${good}, before the end of the run`
        failure = failed('stream_truncated', where)
      }
    } catch (error) {
      const message = `line ${good + 1}: ${error instanceof Error ? error.message : String(error)}`
      failure = failed(error instanceof FactwireError ? 'stream_malformed' : 'stream_failed', message)
    }
    if (failure) yield* place.fail(failure)
  }

  return { events: events(), run: () => ({}), failure: () => failure }
}

function failed(code: StreamFailureCode, message: string): Failure {
  return { code, message }
}

/** Where the facts of a file stand: what may come next, and which calls a sudden end would leave open. */
function standing() {
  let state: 'none' | 'running' | 'awaiting' | 'ended' = 'none'
  const openCalls = new Map<string, OpenCall>()

  return {
    /** @throws FactwireError when this fact cannot come here. */
    follow(fact: Fact): void {
      if ((fact.type === 'run_started') === (state === 'running')) {
        throw new FactwireError(
          'invalid_value',
          state === 'running' ? 'run_started before the run that goes on has ended' : `${fact.type} outside a run`,
        )
      }
      switch (fact.type) {
        case 'run_started':
          state = 'running'
          break
        case 'tool_call':
          openCalls.set(fact.id, { id: fact.id, name: fact.name, message_id: fact.message_id ?? '' })
          break
        case 'tool_result':
          openCalls.delete(fact.id)
          break
        case 'awaiting':
          state = 'awaiting'
          break
        case 'run_finished':
        case 'run_failed':
          state = 'ended'
          openCalls.clear()
          break
        default:
      }
    },
    /** The events may stop here. */
    rests(): boolean {
      return state === 'awaiting' || state === 'ended'
    },
    /** What the fold says of a run that fails here; of a new run, where none goes on. */
    fail(failure: Failure): AgentEvent[] {
      const before = {
        ...(state === 'running' || state === 'awaiting' ? { state: { type: state } } : {}),
        openCalls: [...openCalls.values()],
      }
      const { facts } = fold(endRun(before, { type: 'error', failure }), before)
      // A call that does not say its message does not say its step.
      return facts.filter((fact) => fact.type !== 'step_ended' || fact.message_id !== '').map(factEvent)
    },
  }
}
