/** The state and the activities of a run, as far as a commit tells them. */
import type { Commit } from '@factwire/core'

export type CommittedDocuments = Pick<Commit, 'snapshot' | 'activities'>

export const isBare = ({ snapshot, activities }: CommittedDocuments): boolean =>
  snapshot === undefined && activities === undefined

/** Activities of both, in their order. */
export function together(earlier: CommittedDocuments, later: CommittedDocuments): CommittedDocuments {
  const activities = [...(earlier.activities ?? []), ...(later.activities ?? [])]
  return { ...earlier, ...later, ...(activities.length > 0 ? { activities } : {}) }
}
