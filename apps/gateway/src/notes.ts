/**
 * What a segment was asked for, beside what its run keeps: stored with its first step, so that its answer can be given again as it was.
 */
import type { Json } from '@factwire/core'
import type { FactStore } from '@factwire/hub'

/** What the gateway adds to the first step of a segment. */
export interface Noted {
  readonly asked?: Json
}

export interface Notes {
  readonly store: FactStore
  /** Of the segment that is about to begin; undefined where nothing is to be kept of it. */
  note(runId: string, asked: Json | undefined): void
}

export function notes(store: FactStore): Notes {
  const coming = new Map<string, Json>()
  return {
    store: {
      ...store,
      async append(runId, request) {
        const asked = coming.get(runId)
        const begins = request.step.facts.some(({ fact }) => fact.type === 'run_started')
        if (asked === undefined || !begins) return store.append(runId, request)
        const step: typeof request.step & Noted = { ...request.step, asked }
        const appended = await store.append(runId, { ...request, step })
        if (appended.type === 'appended' && coming.get(runId) === asked) coming.delete(runId)
        return appended
      },
    },
    note(runId, asked) {
      if (asked === undefined) coming.delete(runId)
      else coming.set(runId, asked)
    },
  }
}
