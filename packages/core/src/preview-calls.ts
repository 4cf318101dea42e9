/** The calls of a segment as one client knows them: whose ids it has met, and which committed ones have no result yet. */
import type { Awaiting, Disposition, ToolCallDelta, ToolCallFact } from './event.ts'
import type { Item } from './preview-item.ts'
import type { Pending } from './run.ts'

export interface CallItem extends Item {
  readonly id: string
  /** The id on the wire: the call's own, or `id-2` where that was used before. */
  readonly wireId: string
  readonly name: string
  /** Who runs it: as its fact says, once that came. */
  disposition: Disposition | undefined
  /** The client knows of it. */
  announced: boolean
  /** Given up by the producer; its fragments are ignored. */
  cancelled: boolean
  /** Its fact, once that came. */
  fact: ToolCallFact | undefined
}

export interface CallBook {
  /** Whether the client has met the id. */
  knows(wireId: string): boolean
  /** Whether the client is to be told of a call: it was not yet, and nothing else has its id. Then it counts as told. */
  announce(call: CallItem): boolean
  /** The client was told that the call is gone. */
  unannounce(call: CallItem): void
  /** The committed call; `shown` is the live one of that id. */
  settle(fact: ToolCallFact, shown: CallItem | undefined): CallItem
  /** From now on the results of these are awaited, where the agent runs them. */
  expect(calls: readonly CallItem[]): void
  expectNone(): void
  /** Whether results are awaited. */
  expecting(): boolean
  /** The earliest call of that id that has no result yet; it has one now. */
  result(id: string): CallItem | undefined
  find(id: string): CallItem | undefined
  /** Committed calls without result. */
  open(): CallItem[]
  waiting(fact: Awaiting): readonly Pending[]
  /** Makes a call known that was committed before this segment's first frame. */
  know(call: KnownCall): void
}

export interface KnownCall extends Pick<ToolCallDelta, 'id' | 'name'> {
  /** Default: its own id. */
  readonly wireId?: string
  readonly disposition?: Disposition | undefined
}

export function createCallBook(known: Iterable<string>, takesBack: boolean): CallBook {
  const met = new Set<string>(known)
  /** Committed calls without result, by the producer's id, earliest first. */
  const settled = new Map<string, CallItem[]>()
  const awaited = new Set<CallItem>()

  function unused(id: string): string {
    let free = id
    for (let count = 2; met.has(free); count++) free = `${id}-${count}`
    return free
  }

  function add(call: CallItem): void {
    const twins = settled.get(call.id)
    if (twins) twins.push(call)
    else settled.set(call.id, [call])
  }

  const open = (): CallItem[] => [...settled.values()].flat()

  return {
    knows: (wireId) => met.has(wireId),

    announce(call) {
      if (call.announced || call.cancelled || met.has(call.wireId)) return false
      met.add(call.wireId)
      call.announced = true
      return true
    },

    unannounce(call) {
      if (call.announced && takesBack) met.delete(call.wireId)
      call.announced = false
    },

    settle(fact, shown) {
      const call = shown?.announced ? shown : newCall(fact, unused(fact.id))
      call.fact = fact
      call.disposition = fact.disposition
      met.add(call.wireId)
      add(call)
      return call
    },

    expect(calls) {
      for (const call of calls) {
        if (call.disposition === 'executed' && settled.get(call.id)?.includes(call)) awaited.add(call)
      }
    },

    expectNone: () => awaited.clear(),
    expecting: () => awaited.size > 0,

    result(id) {
      const twins = settled.get(id)
      const call = twins?.shift()
      if (twins?.length === 0) settled.delete(id)
      if (call) awaited.delete(call)
      return call
    },

    find: (id) => settled.get(id)?.[0],
    open,

    waiting({ pending, pending_tool_use_id: named }) {
      if (pending && pending.length > 0) return pending
      const told = open().flatMap(({ id, disposition = 'executed' }): Pending[] => {
        if (disposition === 'executed') return []
        return [{ tool_use_id: id, kind: disposition === 'pending_client' ? 'client' : 'approval' }]
      })
      if (named === null || told.some(({ tool_use_id }) => tool_use_id === named)) return told
      // A call of an earlier segment: nobody says of which kind, and one that needs an approval is the safer guess.
      return [...told, { tool_use_id: named, kind: 'approval' }]
    },

    know({ id, name, wireId = id, disposition }) {
      met.add(wireId)
      const call = newCall({ id, name }, wireId)
      call.disposition = disposition
      call.announced = true
      add(call)
      if (disposition === undefined || disposition === 'executed') awaited.add(call)
    },
  }
}

type NewCall = Pick<ToolCallDelta, 'id' | 'name' | 'disposition'>

export function newCall({ id, name, disposition }: NewCall, wireId: string = id): CallItem {
  // Written out, not spread: a spread gives each call a hidden class of its own, and whatever reads items gets slow.
  return {
    shown: [],
    held: '',
    end: 0,
    parked: undefined,
    repeated: undefined,
    id,
    wireId,
    name,
    disposition,
    announced: false,
    cancelled: false,
    fact: undefined,
  }
}
