/**
 * Whose an item is, as moves: of the subagent that began it, or of the run itself.
 *
 * An event that says no subagent never contradicts. A call without one is its message's, and where that is a subagent's it is not
 * followed.
 */
import type { Move } from '@factwire/core'
import type { AgUiMessage } from './wire-message.ts'

type Kind = 'message' | 'call' | 'reasoning' | 'activity'

/** Absent is the run itself. */
type Owner = string | undefined

const one = (kind: Kind, id: string, owner: Owner, input: string): Move => ({
  machine: 'owner',
  group: `${kind} ${id}`,
  key: ownerName(owner),
  input,
})
const others = (kind: Kind, id: string, owner: Owner, input: string): Move => ({
  ...one(kind, id, owner, input),
  every: true,
})

/** No id of a subagent is taken for the run. */
export const ownerName = (owner: Owner): string => (owner === undefined ? 'the run' : JSON.stringify(owner))

/** Whoever begins it first has it. */
export const begins = (kind: Kind, id: string, owner: Owner): readonly Move[] => [
  one(kind, id, owner, owner === undefined ? 'claim' : 'begin'),
  others(kind, id, owner, 'taken'),
]

export const goesOn = (kind: Kind, id: string, owner: Owner): readonly Move[] =>
  owner === undefined ? [] : [one(kind, id, owner, 'go_on')]

/** Whoever had it: it is another one now. */
export const replaces = (kind: Kind, id: string, owner: Owner): readonly Move[] => [
  one(kind, id, owner, 'give'),
  others(kind, id, owner, 'given_away'),
]

export function beginsCall(id: string, parent: string | undefined, owner: Owner): readonly Move[] {
  if (parent === undefined) return begins('call', id, owner)
  if (owner !== undefined) return [one('message', parent, owner, 'make_call'), ...begins('call', id, owner)]
  const when = { machine: 'owner', group: `message ${parent}`, key: ownerName(undefined), states: ['free', 'mine'] }
  return begins('call', id, owner).map((move) => ({ ...move, when }))
}

/** An encrypted value goes on with a message, or with reasoning where no message has that id. */
export function seals(subtype: 'message' | 'tool-call', id: string, owner: Owner): readonly Move[] {
  if (subtype === 'tool-call') return goesOn('call', id, owner)
  const when = { machine: 'owner', group: `message ${id}`, key: ownerName(owner), states: ['free'] }
  return [...goesOn('message', id, owner), ...goesOn('reasoning', id, owner).map((move) => ({ ...move, when }))]
}

export const newRun: Move = { machine: 'owner', input: 'forget', every: true }

/** What a run brings with it has the owners that nobody else has; what a snapshot tells has them from now on. */
export const told = (messages: readonly AgUiMessage[], put: typeof begins): readonly Move[] =>
  messages.flatMap((message) => {
    const { id, role, subagentRunId } = message
    const kind = role === 'reasoning' || role === 'activity' ? role : 'message'
    const calls = role === 'assistant' ? (message.toolCalls ?? []) : []
    return [...put(kind, id, subagentRunId), ...calls.flatMap((call) => put('call', call.id, subagentRunId))]
  })

/** As `begins`, where nothing is contradicted. */
export const claims = (kind: Kind, id: string, owner: Owner): readonly Move[] => [
  one(kind, id, owner, 'claim'),
  others(kind, id, owner, 'taken'),
]
