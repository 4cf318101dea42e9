/** Neutral events in, what a client ends with out: run by run, in the words of no wire. */
import { type AgentEvent, type Fact, type Json, textOf } from '@factwire/core'
import { describeEnd } from './describe.ts'

export interface RunOutcome {
  /** `finished`, `awaiting` or `failed`, and why, where there is more to say than the one natural way. */
  readonly status: string
  /** Of a failure. */
  readonly code?: string
  /** One for each message that has any. */
  readonly texts: readonly string[]
  readonly calls: readonly CallOutcome[]
  readonly state?: Json
}

export interface CallOutcome {
  readonly name: string
  readonly arguments: Json
  readonly result?: ResultOutcome
}

export interface ResultOutcome {
  readonly text: string
  readonly is_error: boolean
  readonly data?: Json
}

/** Keeps what one run comes to, and nothing of those before it. A run that goes on after it had waited is another one here. */
export async function* runOutcomes(events: AsyncIterable<AgentEvent>): AsyncGenerator<RunOutcome> {
  let run = newRun()
  for await (const { tier, event } of events) {
    if (tier === 'delta') continue
    const end = run.add(event)
    if (!end) continue
    yield end
    run = newRun()
  }
}

/** A call while its result may still come. */
interface MadeCall {
  readonly id: string
  readonly call: { -readonly [Key in keyof CallOutcome]: CallOutcome[Key] }
}

function newRun(): { add(fact: Fact): RunOutcome | undefined } {
  const texts: string[] = []
  const calls: MadeCall[] = []
  let state: Json | undefined

  function ended(status: string, code?: string): RunOutcome {
    return {
      status,
      ...(code === undefined ? {} : { code }),
      texts,
      calls: calls.map(({ call }) => call),
      ...(state === undefined ? {} : { state }),
    }
  }

  return {
    add(fact) {
      switch (fact.type) {
        case 'assistant_message':
          texts.push(textOf(fact.content))
          return undefined
        case 'tool_call': {
          const { id, name, input, raw_input } = fact
          // What does not parse has no value, only its text.
          calls.push({ id, call: { name, arguments: input ?? raw_input ?? null } })
          return undefined
        }
        case 'tool_result': {
          const { id, content, is_error, data } = fact
          const made = calls.find((candidate) => candidate.id === id && !candidate.call.result)
          if (made) made.call.result = { text: textOf(content), is_error, ...(data === undefined ? {} : { data }) }
          return undefined
        }
        case 'state_snapshot':
          state = fact.snapshot
          return undefined
        case 'awaiting':
          return ended('awaiting')
        case 'run_finished': {
          const why = describeEnd(fact)
          return ended(why === '' || why === 'natural end' ? 'finished' : `finished (${why})`)
        }
        case 'run_failed':
          return ended('failed', fact.code)
        default:
          return undefined
      }
    },
  }
}
