import { type AgentEvent, type Commit, type Decision, type Message, runWriter, type Written } from '@factwire/core'

type Store = (commit: Commit) => Promise<void>

async function* publish({ events, commit }: Written, store: Store): AsyncGenerator<AgentEvent> {
  if (commit) await store(commit)
  yield* events
}

/** The first segment: asks whether the tool may run, and ends there. */
export async function* askFirst(runId: string, history: readonly Message[], store: Store): AsyncGenerator<AgentEvent> {
  const run = runWriter({ runId, history })
  yield* publish(run.toolCall('call-1', 'remove', '{"path":"/tmp/x"}', 'pending_builtin'), store)
  yield* publish(run.await([{ tool_use_id: 'call-1', kind: 'approval', message: 'Remove /tmp/x?' }]), store)
}

/** The next segment, of the same run, once somebody has said something: `decisions` of the next request. */
export async function* goOn(
  runId: string,
  history: readonly Message[],
  [said]: readonly Decision[],
  store: Store,
): AsyncGenerator<AgentEvent> {
  const openCalls = [{ id: 'call-1', name: 'remove', message_id: history.at(-1)?.id ?? '' }]
  const run = runWriter({ runId, history, standing: { state: { type: 'awaiting' }, openCalls } })
  const content = said?.approved ? 'removed' : 'The user said no.'
  yield* publish(run.toolResult('call-1', content, said?.approved ? {} : { denied: true }), store)
  yield* publish(run.text(said?.approved ? 'Done.' : 'Then it stays.'), store)
  yield* publish(run.end(), store)
}
