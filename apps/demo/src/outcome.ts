/** What a run came to, in words that both sides can be compared by: from its facts, and from the view of a client. */
import { type Fact, textOf } from '@factwire/core'
import type { View } from '@factwire/sse'

export interface Outcome {
  readonly reasoning: string
  readonly text: string
  /** Of each call its name and arguments, by id. */
  readonly calls: ReadonlyMap<string, string>
  readonly ending: string
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
        calls.set(fact.id, `${fact.name} ${JSON.stringify(fact.input)}`)
        break
      case 'awaiting':
        ending = `awaits ${fact.pending?.map((pending) => pending.tool_use_id).join(' and ')}`
        break
      case 'run_finished':
        ending = 'finished'
        break
      case 'run_failed':
        ending = `failed: ${fact.code}`
        break
      default:
    }
  }
  return { reasoning, text, calls, ending }
}

export function outcomeOfView({ turns, status, error }: View): Outcome {
  const calls = turns.flatMap((turn) => turn.calls)
  const awaited = calls.filter((call) => call.status === 'suspended').map(({ id }) => id)
  const endings = new Map([
    ['suspended', `awaits ${awaited.join(' and ')}`],
    ['failed', `failed: ${error?.code ?? 'no code'}`],
  ])
  return {
    reasoning: turns.map((turn) => turn.reasoning).join(''),
    text: turns.map((turn) => turn.text).join(''),
    calls: new Map(calls.map((call) => [call.id, `${call.name} ${JSON.stringify(call.arguments)}`])),
    ending: endings.get(status) ?? status,
  }
}
