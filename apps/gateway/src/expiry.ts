/** Approvals that run out: a run that waits for one goes on at that moment, though nobody asks. The runtime then takes it for a no. */
import type { RunRecord } from '@factwire/hub'
import { expiresAt } from '@factwire/runtime'
import type { Storage } from './storage.ts'

export interface Expiry {
  /** Looks whether the run waits for something that runs out. */
  watch(runId: string): Promise<void>
  /** Looks at all that wait, as after a restart. */
  watchAll(): Promise<void>
  stop(): void
}

/** Milliseconds: a timer cannot be longer. */
const LONGEST = 2_000_000_000
const AGAIN = 5000
const PAGE = 200

/** `goOn` runs the next segment of a run, with nothing. It may fail, and is then tried again. */
export function expiry({ facts, runs }: Storage, goOn: (runId: string) => Promise<void>): Expiry {
  const timers = new Map<string, NodeJS.Timeout>()
  let isStopped = false

  function at(runId: string, milliseconds: number, task: () => Promise<void>): void {
    if (isStopped) return
    clearTimeout(timers.get(runId))
    const timer = setTimeout(() => {
      timers.delete(runId)
      task().catch(() => at(runId, AGAIN, task))
    }, milliseconds)
    // What waits keeps no process from ending.
    timer.unref()
    timers.set(runId, timer)
  }

  async function watch(runId: string): Promise<void> {
    const record = await facts.load(runId)
    if (record) await watchOne(record)
  }

  async function watchOne({ run: { runId }, standing, lastFact }: RunRecord): Promise<void> {
    if (standing.state?.type !== 'awaiting') return
    const [last] = await facts.facts(runId, lastFact - 1, 1)
    const pending = last?.fact.type === 'awaiting' ? (last.fact.pending ?? []) : []
    const first = expiresAt(pending)
    if (first === undefined) return
    // A timer may be a moment early.
    const left = Math.max(first - Date.now() + 1, 0)
    if (left > LONGEST) at(runId, LONGEST, () => watch(runId))
    else at(runId, left, () => goOn(runId))
  }

  return {
    watch,
    async watchAll() {
      for (let before: string | undefined; ;) {
        const page = await runs({ waiting: true, limit: PAGE, ...(before === undefined ? {} : { before }) })
        for (const record of page) await watchOne(record)
        before = page.at(-1)?.run.runId
        if (page.length < PAGE || isStopped) return
      }
    },
    stop() {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    },
  }
}
