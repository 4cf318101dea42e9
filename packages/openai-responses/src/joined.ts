/** What a client that joins a response has missed of it. */
import { type Committed, dispositionsOf, type Fact, fold, type Message } from '@factwire/core'

const RUNNING = { type: 'running' } as const

/** The facts of those messages, their calls told as they were once. Where nobody has noted that, the tool says whose one is. */
export function begun(
  committed: Committed,
  since: readonly Message[],
  clientTools: ReadonlySet<string>,
): readonly Fact[] {
  const dispositionOf = dispositionsOf(committed)
  const before = { state: RUNNING, openCalls: [] }
  const { facts } = fold({ messages: since, state: RUNNING }, before, { reasoning: 'text' })
  return facts.map((fact) => {
    if (fact.type !== 'tool_call') return fact
    const { id, name, message_id = '' } = fact
    const byName = clientTools.has(name) ? 'pending_client' : 'executed'
    return { ...fact, disposition: dispositionOf(message_id, id) ?? byName }
  })
}
