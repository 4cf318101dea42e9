/** Where a client joins a run, and what there is for it. */
import type { Joined } from '@factwire/core'
import { contextOf } from './encode.ts'
import type { LiveRun } from './run.ts'
import { joinAt } from './stream.ts'
import type { Subject } from './subject.ts'

/** The item of the script before which somebody joins. The run's start has been told: nobody can join what does not exist. */
export const positionIn = ({ script }: LiveRun, thousandths: number): number =>
  1 + Math.floor((thousandths * (script.length - 1)) / 1000)

/** As a server of the wire has it: with the thread before the run, where it knows that. */
export function joinedOf<Frame, Options>(subject: Subject<Frame, Options>, run: LiveRun, position: number): Joined {
  const { committed, open } = joinAt(run, position)
  const { history = [] } = contextOf(subject, run)
  return { open, committed: { ...committed, messages: [...history, ...committed.messages] } }
}
