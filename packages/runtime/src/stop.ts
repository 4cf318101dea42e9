/** That a run is to end: why, and whoever wants to hear of it. */
import { type EndCause, endCause } from '@factwire/core'

/** As an abort signal, for any number who listen: of more than ten, a signal warns. */
export interface Stop {
  readonly aborted: boolean
  readonly reason: unknown
  /** Runs the task when it aborts; at once, where it has. Gives how to call it off. */
  hear(task: () => void): () => void
}

export function stopOf(signal: AbortSignal): Stop {
  const tasks = new Set<() => void>()
  const tell = (): void => {
    for (const task of Array.from(tasks)) task()
    tasks.clear()
  }
  signal.addEventListener('abort', tell, { once: true })
  return {
    get aborted() {
      return signal.aborted
    },
    get reason() {
      return signal.reason as unknown
    },
    hear(task) {
      const own = (): void => task()
      if (signal.aborted) own()
      else tasks.add(own)
      return () => void tasks.delete(own)
    },
  }
}

/** The controller aborts with the signal, until released. */
export function follow(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const told = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) told()
  signal?.addEventListener('abort', told, { once: true })
  return () => signal?.removeEventListener('abort', told)
}

/** How a run ends that was told to for that reason. */
export function causeOf(reason: unknown): EndCause {
  try {
    return endCause(reason, 'reason')
  } catch {
    return { type: 'cancelled' }
  }
}

/** Whether somebody wants the run to end. Any other error says that it cannot be written any more. */
export const isAsked = (reason: unknown): boolean => !(reason instanceof Error) || reason.name === 'AbortError'
