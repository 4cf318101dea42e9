/** Runs that nobody writes, and that are to end: whoever notices takes such a run over and ends it. */
import { type Commit, type EndCause, fold, type FoldOptions } from '@factwire/core'
import { lastCommits, type Said } from './last-commits.ts'
import { inTime } from './patience.ts'
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

export interface Ending {
  readonly owner: string
  readonly cause: EndCause
  readonly fold: FoldOptions
  readonly said: Said
  /** Whether the run is still one that is to be ended. */
  fits(record: RunRecord): boolean
}

/** Ends a run that nobody has. Gives the number of its last fact; undefined when it was not to be had. */
export async function endAbandoned(runId: string, ending: Ending, setting: Setting): Promise<number | undefined> {
  const { store, clock, limits } = setting
  const now = clock.now()
  const taken = await store.acquire(runId, { owner: ending.owner, now, until: now + limits.leaseMs })
  if (taken.type !== 'held') return undefined
  const { record } = taken
  // Whoever comes next finds it as it was.
  const giveBack = (): Promise<void> => store.release(runId, record.lease.epoch, record.reserved)
  if (!ending.fits(record)) {
    await giveBack()
    return undefined
  }
  const commits = await endOf(record, ending, setting).catch(async (error: unknown) => {
    await giveBack()
    throw error
  })
  return append(record, commits, ending.fold, setting)
}

async function endOf(record: RunRecord, { cause, said }: Ending, setting: Setting): Promise<readonly Commit[]> {
  const { run, standing } = record
  const { clock, limits } = setting
  const unheard = await inTime(clock, limits.leaseMs, said(run.runId), `what was said to ${run.runId}`)
  const isRunning = standing.state?.type === 'running'
  if (!isRunning && unheard.length === 0) return lastCommits(standing, cause, [], [])
  const thread = threadView(run)
  await readSteps(
    run.runId,
    setting,
    () => thread.now.revision,
    (step) => thread.add(step),
  )
  const { messages, snapshot, activities } = thread.now.committed()
  // Patches may have been shown that nobody has committed: what is true of the documents is told again.
  const documents = isRunning
    ? { ...(snapshot === undefined ? {} : { snapshot }), ...(activities ? { activities } : {}) }
    : {}
  return lastCommits(standing, cause, messages, unheard, documents)
}

async function append(
  record: RunRecord,
  commits: readonly Commit[],
  folding: FoldOptions,
  { store }: Setting,
): Promise<number | undefined> {
  const { epoch } = record.lease
  let { standing, revision, reserved: next } = record
  for (const [index, commit] of commits.entries()) {
    const { facts, after } = fold(commit, standing, folding)
    const numbered = facts.map((fact, place) => ({ seq: next + place, fact }))
    next += facts.length
    // What its producer showed last nobody knows.
    const step = { commit, facts: numbered, after, opened: null }
    const [key, release] = [`end-${epoch}-${index}`, index === commits.length - 1]
    const done = await store.append(record.run.runId, { epoch, revision, key, reserve: next, release, step })
    if (done.type !== 'appended') return undefined
    standing = after
    revision = done.revision
  }
  return next - 1
}
