/** Calls that wait for a result, in their order. What is asked of one costs the same however many there are. */
import type { OpenCall } from './thread.ts'

export interface OpenCalls {
  add(calls: readonly OpenCall[]): void
  /** The earliest call of that id. */
  find(id: string): OpenCall | undefined
  /** The same; it waits no longer. */
  answer(id: string): OpenCall | undefined
  any(): boolean
  all(): readonly OpenCall[]
}

export function createOpenCalls(): OpenCalls {
  const open = new Set<OpenCall>()
  const byId = new Map<string, OpenCall[]>()

  return {
    add(calls) {
      for (const call of calls) {
        open.add(call)
        const twins = byId.get(call.id)
        if (twins) twins.push(call)
        else byId.set(call.id, [call])
      }
    },
    find: (id) => byId.get(id)?.[0],
    answer(id) {
      const twins = byId.get(id)
      const call = twins?.shift()
      if (!call) return undefined
      if (twins?.length === 0) byId.delete(id)
      open.delete(call)
      return call
    },
    any: () => open.size > 0,
    all: () => [...open],
  }
}
