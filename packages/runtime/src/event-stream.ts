/** A run as a stream of events, for a host without a hub: each commit is stored, and then whoever reads hears of it. */
import type { AgentEvent, Commit } from '@factwire/core'
import type { AgentRun } from './agent.ts'
import type { Output } from './output.ts'

export interface EventStream {
  readonly run: AgentRun
  /** Of one reader, from the first event. It keeps what was not read; one that leaves does not stop the run. */
  readonly events: AsyncIterable<AgentEvent>
}

/** Starts a run whose events are read as they come. `store` hears of each commit first. */
export function eventStream(
  start: (output: Output) => AgentRun,
  store: (commit: Commit) => Promise<void>,
): EventStream {
  let unread: AgentEvent[] = []
  let wake = (): void => undefined
  let over: { readonly error?: unknown } | undefined
  let isLeft = false

  const run = start({
    async write({ events, commit }) {
      if (commit) await store(commit)
      if (!isLeft) unread.push(...events)
      wake()
    },
  })
  run.over.then(
    () => finish({}),
    (error: unknown) => finish({ error }),
  )
  function finish(how: { readonly error?: unknown }): void {
    over = how
    wake()
  }

  async function* read(): AsyncGenerator<AgentEvent> {
    try {
      while (!over || unread.length > 0) {
        if (unread.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        const events = unread
        unread = []
        yield* events
      }
      if ('error' in over) throw over.error
    } finally {
      isLeft = true
      unread = []
    }
  }
  return { run, events: read() }
}
