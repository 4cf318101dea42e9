/** The number that a client comes back with. */
import type { LiveRun } from './live-run.ts'
import type { Spans } from './own-stream.ts'

/** Undefined for none, such as an empty header. */
export function positionOf(lastEventId: string | null | undefined): number | 'invalid' | undefined {
  if (lastEventId === undefined || lastEventId === null || lastEventId === '') return undefined
  return /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 'invalid'
}

/** Whether a client that has seen everything up to `position` has anything left to read. */
export function reads({ thread }: LiveRun, spans: Spans, position: number | undefined): 'all' | 'more' {
  const { standing, lastFact } = thread.now
  if (position === undefined || position < lastFact) return 'more'
  const rests = standing.state?.type === 'ended' || (standing.state?.type === 'awaiting' && spans === 'segment')
  return rests ? 'all' : 'more'
}
