/** Runs whose producer is lost: whoever notices takes the run over and ends it as failed. */
import { type Commit, type EndCause, endRun, fold, type FoldOptions } from '@factwire/core'
import type { Setting } from './setting.ts'
import { readSteps } from './steps.ts'
import type { RunRecord } from './store.ts'
import { threadView } from './thread-view.ts'

/** Whether somebody should write it. */
export function isUnfinished({ standing: { state } }: RunRecord): boolean {
  return state === undefined || state.type === 'running'
}

/** Whether nobody writes it although somebody should. */
export function isAbandoned(record: RunRecord, now: number): boolean {
  return record.lease.until <= now && isUnfinished(record)
}

export const PRODUCER_LOST: EndCause = {
  type: 'error',
  failure: { code: 'producer_lost', message: 'the process that produced the run is gone' },
}

/** Ends a run that nobody has, as `cause` says. Gives the number of its last fact; undefined when it was not to be had. */
export async function endAbandoned(
  runId: string,
  owner: string,
  cause: EndCause,
  fits: (record: RunRecord) => boolean,
  setting: Setting,
  folding: FoldOptions,
): Promise<number | undefined> {
  const { store, clock, limits } = setting
  const now = clock.now()
  const taken = await store.acquire(runId, { owner, now, until: now + limits.leaseMs })
  if (taken.type !== 'held') return undefined
  const { record } = taken
  const { epoch } = record.lease
  if (!fits(record)) {
    await store.release(runId, epoch, record.reserved)
    return undefined
  }
  const commit = { ...endRun(record.standing, cause), ...(await documentsOf(record, setting)) }
  const { facts, after } = fold(commit, record.standing, folding)
  const numbered = facts.map((fact, index) => ({ seq: record.reserved + index, fact }))
  const next = record.reserved + facts.length
  // What its producer showed last nobody knows.
  const step = { commit, facts: numbered, after, opened: null }
  const key = `end-${epoch}`
  const done = await store.append(runId, { epoch, revision: record.revision, key, reserve: next, release: true, step })
  return done.type === 'appended' ? next - 1 : undefined
}

/** Patches may have been shown that nobody has committed: what is true of the documents is told again. */
async function documentsOf(
  { run, standing }: RunRecord,
  setting: Setting,
): Promise<Pick<Commit, 'snapshot' | 'activities'>> {
  if (standing.state?.type !== 'running') return {}
  const thread = threadView(run)
  await readSteps(
    run.runId,
    setting,
    () => thread.now.revision,
    (step) => thread.add(step),
  )
  const { snapshot, activities } = thread.now.committed()
  return { ...(snapshot === undefined ? {} : { snapshot }), ...(activities ? { activities } : {}) }
}
