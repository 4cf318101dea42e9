/** What a decoder made of a stream, and what it should have. */
import { type AgentEvent, argumentsOf, type Json, equalJson, textOf } from '@factwire/core'
import type { SpokenUsage } from './speaker.ts'

/** `waiting`: there are calls for the client to run. */
export type OutcomeStatus = 'finished' | 'waiting' | 'failed'

export interface Outcome {
  readonly status: OutcomeStatus
  readonly text: string
  readonly calls: readonly OutcomeCall[]
  readonly usage?: SpokenUsage
}

export interface OutcomeCall {
  readonly id: string
  readonly name: string
  /** As text. */
  readonly arguments: string
}

/** What is left out may be anything. */
export interface Expected {
  readonly status: readonly OutcomeStatus[]
  /** Any of these. */
  readonly text?: readonly string[]
  /** Ids are compared where they are given. */
  readonly calls?: readonly ExpectedCall[]
  /** Null: there is none. */
  readonly usage?: SpokenUsage | null
}

export interface ExpectedCall {
  readonly id?: string
  readonly name: string
  readonly arguments: string
}

/** How an outcome differs from what was expected, in words; undefined where it does not. */
export function differenceFrom({ status, text, calls, usage }: Expected, outcome: Outcome): string | undefined {
  if (!status.includes(outcome.status)) return `it should be ${status.join(' or ')}, not ${outcome.status}`
  if (text && !text.includes(outcome.text)) {
    return `its text should be ${text.map((each) => JSON.stringify(each)).join(' or ')}, not ${JSON.stringify(outcome.text)}`
  }
  if (calls && !sameCalls(calls, outcome.calls)) {
    return `its calls should be ${JSON.stringify(calls)}, not ${JSON.stringify(outcome.calls)}`
  }
  if (usage !== undefined && !equalJson(jsonOf(usage), jsonOf(outcome.usage))) {
    return `its usage should be ${JSON.stringify(usage)}, not ${JSON.stringify(outcome.usage ?? null)}`
  }
  return undefined
}

const jsonOf = (usage: SpokenUsage | null | undefined): Json => (usage ? { ...usage } : null)

function sameCalls(expected: readonly ExpectedCall[], actual: readonly OutcomeCall[]): boolean {
  if (expected.length !== actual.length) return false
  // Two calls of one id cannot be answered apart.
  if (new Set(actual.map(({ id }) => id)).size !== actual.length) return false
  return expected.every((call, index) => {
    const other = actual[index]
    if (!other || other.id === '' || other.name !== call.name) return false
    return (call.id === undefined || call.id === other.id) && sameArguments(call.arguments, other.arguments)
  })
}

/** No arguments are those of an empty object. White space is none. */
function sameArguments(expected: string, actual: string): boolean {
  const [one, other] = [valueOf(expected), valueOf(actual)]
  return one === undefined || other === undefined ? expected === actual : equalJson(one, other)
}

function valueOf(text: string): Json | undefined {
  try {
    return text === '' ? {} : (JSON.parse(text) as Json)
  } catch {
    return undefined
  }
}

/** The outcome of a stream that was read as neutral events. */
export function outcomeOf(events: readonly AgentEvent[]): Outcome {
  let status: OutcomeStatus = 'failed'
  let text = ''
  const calls: OutcomeCall[] = []
  let usage: SpokenUsage | undefined
  for (const { event } of events) {
    switch (event.type) {
      case 'assistant_message':
        text += textOf(event.content)
        break
      case 'tool_call':
        calls.push({ id: event.id, name: event.name, arguments: argumentsOf(event) })
        break
      case 'inference_completed': {
        const { prompt_tokens, completion_tokens } = event.usage ?? {}
        if (prompt_tokens === undefined || completion_tokens === undefined) break
        usage = {
          prompt: (usage?.prompt ?? 0) + prompt_tokens,
          completion: (usage?.completion ?? 0) + completion_tokens,
        }
        break
      }
      case 'awaiting':
        status = 'waiting'
        break
      case 'run_finished':
        status = 'finished'
        break
      default:
        break
    }
  }
  return { status, text, calls, ...(usage ? { usage } : {}) }
}
