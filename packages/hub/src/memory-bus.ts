/** A bus for hubs of one process. */
import type { LiveBus, LiveMessage } from './bus.ts'

export function memoryBus(): LiveBus {
  const listeners = new Map<string, Set<(message: LiveMessage) => void>>()
  return {
    publish(runId, message) {
      // Who listens gets it in a turn of its own, as from another process.
      for (const listener of listeners.get(runId) ?? []) {
        queueMicrotask(() => {
          if (listeners.get(runId)?.has(listener)) listener(message)
        })
      }
    },
    async subscribe(runId, listener) {
      // A function of its own: the same listener may be there twice.
      const own = (message: LiveMessage): void => listener(message)
      const there = listeners.get(runId) ?? new Set()
      there.add(own)
      listeners.set(runId, there)
      return () => {
        there.delete(own)
        if (there.size === 0 && listeners.get(runId) === there) listeners.delete(runId)
      }
    },
  }
}
