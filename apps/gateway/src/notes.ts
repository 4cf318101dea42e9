/**
 * What a segment was asked for, beside what its run keeps: stored with its first step, so that its answer can be given again as it was.
 */
import type { Json } from '@factwire/core'
import type { FactStore } from '@factwire/hub'

/** What the gateway adds to the first step of a segment. */
export interface Noted {
  readonly asked?: Json
  /** The id that a request would have begun a run under, which has gone on with this one instead. */
  readonly mark?: string
  /** Of that request, where it may come again under the same key. */
  readonly digest?: string
}

export interface Notes {
  readonly store: FactStore
  /** Of the segment that is about to begin; undefined where nothing is to be kept of it. */
  note(runId: string, noted: Noted | undefined): void
}

export function notes(store: FactStore): Notes {
  const coming = new Map<string, Noted>()
  return {
    store: {
      ...store,
      async append(runId, request) {
        const noted = coming.get(runId)
        const begins = request.step.facts.some(({ fact }) => fact.type === 'run_started')
        if (noted === undefined || !begins) return store.append(runId, request)
        const step: typeof request.step & Noted = { ...request.step, ...noted }
        const appended = await store.append(runId, { ...request, step })
        if (appended.type === 'appended' && coming.get(runId) === noted) coming.delete(runId)
        return appended
      },
    },
    note(runId, noted) {
      if (noted === undefined) coming.delete(runId)
      else coming.set(runId, noted)
    },
  }
}
