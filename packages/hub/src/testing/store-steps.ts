/** Small steps and claims that the cases of a store are made of. */
import type { Commit, Fact, RunContext, RunState, Standing } from '@factwire/core'
import type { Append, Appended, Claim, FactStore, Step } from '../store.ts'

export const RUNNING: RunState = { type: 'running' }
export const ENDED: RunState = { type: 'ended', cause: { type: 'natural_end' } }
export const AWAITING: RunState = { type: 'awaiting' }

export const run = (runId: string): RunContext => ({ threadId: 'thread', runId })
export const claim = (owner: string, now: number, until: number): Claim => ({ owner, now, until })

/** A step whose facts are so many messages, numbered from `first`. */
export function step(first: number, count: number, state: RunState = RUNNING): Step {
  const facts = Array.from({ length: count }, (_none, index): { readonly seq: number; readonly fact: Fact } => ({
    seq: first + index,
    fact: { type: 'assistant_message', id: `m${first + index}`, content: [{ type: 'text', text: 'Grüße \u2028 "\\' }] },
  }))
  const commit: Commit = { messages: [], state }
  const after: Standing = { state, openCalls: [] }
  return { commit, facts, after }
}

export function append(
  store: FactStore,
  runId: string,
  revision: number,
  given: Step,
  rest: Partial<Append> = {},
): Promise<Appended> {
  const reserve = (given.facts.at(-1)?.seq ?? -1) + 1
  return store.append(runId, { epoch: 1, revision, key: `k${revision}`, reserve, release: false, step: given, ...rest })
}
