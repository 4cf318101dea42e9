/** What a run came to, in words that all sides can be compared by: the committed facts, and what a client read back. */
import { type Fact, textOf } from '@factwire/core'

export interface Outcome {
  /** Absent where the wire shows none. */
  readonly reasoning?: string
  readonly text: string
  /** Of each call its name, arguments and result, by id. Absent where the client gives none. */
  readonly calls?: ReadonlyMap<string, string>
  readonly ending: string
}

export interface Reading extends Outcome {
  /** How its client learnt of the ending. */
  readonly told: string
  /** What the client complained of. */
  readonly warnings: readonly string[]
}

export function outcomeOfFacts(facts: readonly Fact[]): Outcome {
  const calls = new Map<string, string>()
  let reasoning = ''
  let text = ''
  let ending = 'no end'
  for (const fact of facts) {
    switch (fact.type) {
      case 'assistant_thinking':
        reasoning += fact.text ?? ''
        break
      case 'assistant_message':
        text += textOf(fact.content)
        break
      case 'tool_call':
        calls.set(fact.id, callText(fact.name, JSON.stringify(fact.input)))
        break
      case 'tool_result':
        calls.set(fact.id, `${calls.get(fact.id)}${resultText(textOf(fact.content))}`)
        break
      case 'awaiting':
        ending = awaits((fact.pending ?? []).map((pending) => pending.tool_use_id))
        break
      case 'run_finished':
        ending = 'finished'
        break
      case 'run_failed':
        ending = failed(fact.code)
        break
      default:
    }
  }
  return { reasoning, text, calls, ending }
}

/** Arguments that are no JSON were never meant to be run: their value is null, on every side. */
export function callText(name: string, args: string, result?: string): string {
  let value: unknown = null
  try {
    value = JSON.parse(args)
  } catch {
    // Cut short, or never JSON.
  }
  return `${name} ${JSON.stringify(value)}${result === undefined ? '' : resultText(result)}`
}

const resultText = (result: string): string => ` → ${result}`

export const awaits = (ids: readonly string[]): string => `awaits ${ids.join(', ')}`
export const failed = (code: unknown): string => `failed: ${String(code)}`

/** One thing that must be the same everywhere. A side that does not show it has nothing to compare. */
export interface Comparison {
  readonly what: string
  readonly committed: string
  readonly seen: readonly (string | undefined)[]
}

const MISSING = 'missing'

export function compare(committed: Outcome, readings: readonly Reading[]): readonly Comparison[] {
  const row = (what: string, truth: string, of: (reading: Reading) => string | undefined): Comparison => ({
    what,
    committed: truth,
    seen: readings.map(of),
  })
  const ids = new Set([committed, ...readings].flatMap(({ calls }) => [...(calls?.keys() ?? [])]))
  return [
    row('thought', committed.reasoning ?? '', ({ reasoning }) => reasoning),
    row('text', committed.text, ({ text }) => text),
    ...[...ids].map((id) =>
      row(id, committed.calls?.get(id) ?? MISSING, ({ calls }) => calls && (calls.get(id) ?? MISSING)),
    ),
    row('ending', committed.ending, ({ ending }) => ending),
    row('warnings', '0', ({ warnings }) => [warnings.length, ...warnings].join(' ')),
  ]
}

/** What a client has that was not committed, or lacks, in a sentence each. */
export function faults(clients: readonly string[], comparisons: readonly Comparison[]): readonly string[] {
  return comparisons.flatMap(({ what, committed, seen }) =>
    seen.flatMap((each, at) =>
      each === undefined || each === committed ? [] : [`${clients[at]}: ${what} is "${each}", not "${committed}".`],
    ),
  )
}
