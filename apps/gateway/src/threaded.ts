/**
 * Runs whose thread goes on are stored with what they add to it, and with the run that they go on from: a conversation would be stored
 * once for each of its turns otherwise. Whoever loads a run is given all that came before it.
 */
import type { Message, RunContext } from '@factwire/core'
import type { FactStore, RunRecord } from '@factwire/hub'
import type { KeptRun } from './storage.ts'
import { stepsOf } from './thread.ts'

type History = readonly Message[]

/** Characters of JSON that are remembered of the threads that were asked for last. */
const MOST_REMEMBERED = 32 * 1024 * 1024

export interface From {
  readonly runId: string
  /** All that was said up to its end. */
  readonly messages: History
}

/** What is kept instead of the messages that both have. */
export function goingOn({ runId, messages }: From, thread: History): NonNullable<KeptRun['goesOn']> {
  const end = messages.findIndex((message, index) => message !== thread[index])
  return { runId, messages: end < 0 ? messages.length : end }
}

export function threaded(store: FactStore, most = MOST_REMEMBERED): FactStore {
  const recent = remembering(most)

  async function whole(record: RunRecord): Promise<RunRecord> {
    return { ...record, run: { ...record.run, history: await historyOf(record.run) } }
  }

  /** From the first of them on, because each stands on the one before it. */
  async function historyOf(run: RunContext): Promise<History> {
    const chain: KeptRun[] = []
    let known: History | undefined
    for (let next: KeptRun | undefined = run as KeptRun; next;) {
      chain.unshift(next)
      known = recent.get(next.runId)
      const { goesOn }: KeptRun = next
      next = known || !goesOn ? undefined : ((await store.load(goesOn.runId))?.run as KeptRun | undefined)
    }
    const [first, ...rest] = chain
    let messages: History = known ?? first?.history ?? []
    let before = first
    for (const each of rest) {
      const all = [...messages]
      if (before) for await (const { commit } of stepsOf(store, before.runId)) all.push(...commit.messages)
      messages = [...all.slice(0, each.goesOn?.messages), ...(each.history ?? [])]
      before = each
    }
    recent.set(run.runId, messages)
    return messages
  }

  return {
    ...store,
    async create(run, claim, reserve) {
      const { history = [], goesOn }: KeptRun = run as KeptRun
      const own = goesOn ? { ...run, history: history.slice(goesOn.messages) } : run
      const { created, record } = await store.create(own, claim, reserve)
      if (!created) return { created, record: await whole(record) }
      recent.set(run.runId, history)
      // Who asks for the thread asks for its last run.
      if (goesOn) recent.forget(goesOn.runId)
      return { created, record: { ...record, run: { ...record.run, history } } }
    },
    async load(runId) {
      const record = await store.load(runId)
      return record && whole(record)
    },
    async acquire(runId, claim) {
      const acquired = await store.acquire(runId, claim)
      return acquired.type === 'held' ? { type: 'held', record: await whole(acquired.record) } : acquired
    },
  }
}

interface Remembering {
  get(runId: string): History | undefined
  set(runId: string, history: History): void
  forget(runId: string): void
}

/** The oldest go first. */
function remembering(most: number): Remembering {
  const kept = new Map<string, { readonly history: History; readonly size: number }>()
  const sizes = new WeakMap<Message, number>()
  let total = 0

  function sizeOf(message: Message): number {
    const size = sizes.get(message) ?? JSON.stringify(message).length
    sizes.set(message, size)
    return size
  }

  function forget(runId: string): void {
    total -= kept.get(runId)?.size ?? 0
    kept.delete(runId)
  }

  return {
    forget,
    get(runId) {
      const one = kept.get(runId)
      if (!one) return undefined
      kept.delete(runId)
      kept.set(runId, one)
      return one.history
    },
    set(runId, history) {
      forget(runId)
      const size = history.reduce((sum, message) => sum + sizeOf(message), 0)
      kept.set(runId, { history, size })
      total += size
      for (const oldest of kept.keys()) {
        if (total <= most) return
        forget(oldest)
      }
    },
  }
}
