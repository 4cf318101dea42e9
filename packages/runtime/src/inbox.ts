/** What somebody says while the run goes on: kept first, and given to the loop where a thread has room for it. */
import type { Message } from '@factwire/core'
import type { Notes } from './journal.ts'

export interface Inbox {
  /** False when the run takes nothing more; then nothing was kept. */
  push(messages: readonly Message[]): Promise<boolean>
  /** Those that are kept and not in the thread. Waits for what is being kept. */
  waiting(thread: readonly Message[]): Promise<readonly Message[]>
  close(): void
  /** Whether it is empty, and then nothing more is taken. */
  closeIfEmpty(thread: readonly Message[]): Promise<boolean>
}

export function inbox(notes: Notes): Inbox {
  const keeping = new Set<Promise<void>>()
  let closed = false

  function unheard(thread: readonly Message[]): readonly Message[] {
    const had = new Set(thread.map(({ id }) => id))
    return notes.said.filter(({ id }) => !had.has(id))
  }

  return {
    async push(messages) {
      if (closed) return false
      const kept = notes.add(messages.map((message) => ({ type: 'said', message })))
      keeping.add(kept)
      try {
        await kept
      } finally {
        keeping.delete(kept)
      }
      return true
    },
    async waiting(thread) {
      while (keeping.size > 0) await Promise.allSettled(keeping)
      return unheard(thread)
    },
    close() {
      closed = true
    },
    async closeIfEmpty(thread) {
      while (keeping.size > 0) await Promise.allSettled(keeping)
      closed ||= unheard(thread).length === 0
      return closed
    },
  }
}
