/** The committed thread as it stands after a run, read from the store. */
import type { Committed, Message } from '@factwire/core'
import type { FactStore, RunRecord, StoredStep } from '@factwire/hub'

const PAGE = 64

/** All steps of a run, in order. */
export async function* stepsOf(facts: FactStore, runId: string): AsyncGenerator<StoredStep> {
  for (let after = 0; ;) {
    const page = await facts.steps(runId, after, PAGE)
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.revision
  }
}

export async function committedOf(facts: FactStore, { run }: RunRecord): Promise<Committed> {
  const messages: Message[] = [...(run.history ?? [])]
  let now: Omit<Committed, 'messages'> = { standing: { openCalls: [] } }
  for await (const { commit, after } of stepsOf(facts, run.runId)) {
    messages.push(...commit.messages)
    const { snapshot = now.snapshot, pending = now.pending, result = now.result } = commit
    now = {
      standing: after,
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(pending && after.state?.type !== 'ended' ? { pending } : {}),
      ...(result === undefined ? {} : { result }),
    }
  }
  const open = new Set(now.standing.openCalls.map(({ id }) => id))
  const waiting = now.pending?.filter(({ tool_use_id }) => open.has(tool_use_id))
  const { pending: _, ...rest } = now
  return { messages, ...rest, ...(waiting && waiting.length > 0 ? { pending: waiting } : {}) }
}
