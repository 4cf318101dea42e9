/** What other processes hear of a run that is produced here. */
import type { LiveBus, NumberedDelta } from './bus.ts'
import type { LiveRun } from './live-run.ts'
import type { Setting } from './setting.ts'
import { wake } from './wake.ts'

export interface Publisher {
  /** Facts are stored. */
  facts(): void
  /** A delta was shown: what comes in one tick is one message. */
  delta(delta: NumberedDelta): void
  /** The whole open step, for who has just come. */
  open(): void
}

const nobody: Publisher = { facts: () => undefined, delta: () => undefined, open: () => undefined }

export function publisher(
  live: LiveRun,
  bus: LiveBus | undefined,
  epoch: number,
  { clock, limits }: Setting,
): Publisher {
  if (!bus) return nobody
  const { runId } = live.run
  let waiting: NumberedDelta[] = []
  const sending = wake(clock, limits.flushMs, () => {
    const deltas = waiting
    waiting = []
    send(deltas)
  })

  function send(deltas: readonly NumberedDelta[], whole: { readonly whole?: true } = {}): void {
    const after = live.thread.now.lastFact
    if (deltas.length > 0) bus?.publish(runId, { type: 'deltas', epoch, after, deltas, ...whole })
  }

  return {
    facts: () => bus.publish(runId, { type: 'facts', epoch, last: live.thread.now.lastFact }),
    delta(delta) {
      waiting.push(delta)
      sending.ask()
    },
    open() {
      const { pieces, recent } = live.open
      // What a commit has left open is older than that, and who follows from it has no number for it.
      if (recent.length === pieces.length)
        send(
          pieces.map(({ to, delta }) => ({ seq: to, delta })),
          { whole: true },
        )
    },
  }
}
