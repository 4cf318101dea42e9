/** The fact that ends a segment, from the state that a commit leaves the run in. */
import { match } from 'ts-pattern'
import type { Fact } from './event.ts'
import type { EndCause, Failure } from './run.ts'
import type { Commit } from './thread.ts'

/** Undefined while the run goes on. */
export function endFact(
  { state, pending, result }: Pick<Commit, 'state' | 'pending' | 'result'>,
  additions: boolean,
): Fact | undefined {
  return match(state)
    .returnType<Fact | undefined>()
    .with({ type: 'running' }, () => undefined)
    .with({ type: 'awaiting' }, () => ({
      type: 'awaiting' as const,
      pending_tool_use_id: pending?.[0]?.tool_use_id ?? null,
      ...(additions && pending ? { pending } : {}),
    }))
    .with({ type: 'ended' }, ({ cause }) => endedFact(cause, result, additions))
    .exhaustive()
}

/** Every cause by its name: one that nobody thought of must not become a success. */
function endedFact(cause: EndCause, result: Commit['result'], additions: boolean): Fact {
  const finished = (exhausted: boolean): Fact => ({
    type: 'run_finished',
    exhausted,
    ...(additions ? { cause } : {}),
    ...(additions && result !== undefined ? { result } : {}),
  })
  return match(cause)
    .returnType<Fact>()
    .with({ type: 'natural_end' }, { type: 'behavior_requested' }, () => finished(false))
    .with({ type: 'stopped' }, { type: 'cancelled' }, { type: 'blocked' }, () => finished(false))
    .with({ type: 'max_steps' }, () => finished(true))
    .with({ type: 'error' }, ({ failure }) => failedFact(failure))
    .with({ type: 'indeterminate' }, () => failedFact({ code: 'indeterminate' }))
    .exhaustive()
}

const SENTENCES = new Map([
  ['capability_bound', 'the run needs a capability that it was not given'],
  ['state_conflict', 'the state of the run changed under it'],
  ['indeterminate', 'it is not known how the run ended'],
])

function failedFact({ code, message }: Failure): Fact {
  return { type: 'run_failed', code, message: message ?? SENTENCES.get(code) ?? 'the run failed' }
}
