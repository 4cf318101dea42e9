/** A hub, and what tests need around it: a clock that stands still, a store that answers when it is told, readers that can be stalled. */
import { type Hub, type HubOptions, type FactStore, createHub, memoryStore } from '../src/index.ts'
import type { Attached, Left, Reading } from '../src/index.ts'
import { type ManualClock, manualClock } from '../src/testing.ts'

export interface World {
  readonly hub: Hub
  readonly clock: ManualClock
  readonly errors: unknown[]
  /** Lets everything happen that can. */
  settle(): Promise<void>
  /** Time passes, second by second. */
  pass(milliseconds: number): Promise<void>
}

export function world(options: Partial<HubOptions> & { readonly clock?: ManualClock } = {}): World {
  const clock = options.clock ?? manualClock()
  const errors: unknown[] = []
  const hub = createHub({
    store: memoryStore(),
    owner: 'test',
    onError: (error) => errors.push(error),
    ...options,
    clock,
  })
  return {
    hub,
    clock,
    errors,
    settle: () => quiet(clock),
    async pass(milliseconds) {
      for (let rest = milliseconds; rest > 0; rest -= 1000) {
        clock.advance(Math.min(rest, 1000))
        await quiet(clock)
      }
    },
  }
}

/** Ends the turn until nothing happens any more. */
export async function quiet(clock: ManualClock): Promise<void> {
  for (let round = 0; round < 6; round++) {
    clock.turn()
    // Whatever only waits for promises has happened once a macrotask comes.
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** A reader whose bytes are kept, and that takes none while it is stalled. */
export interface Client {
  readonly reading: Reading
  text(): string
  bytes(): Buffer
  readonly ended: boolean
  left: Left | undefined
  stall(): void
  go(): void
}

export function client(attached: Attached): Client {
  if (attached.type !== 'stream') throw new Error(`no stream: ${attached.type}`)
  const parts: Uint8Array[] = []
  let stalled = false
  let taken: (() => void) | undefined
  let ended = false
  const reading = attached.pipe({
    write(bytes) {
      parts.push(bytes)
      if (!stalled) return undefined
      return new Promise<void>((resolve) => {
        taken = resolve
      })
    },
    end() {
      ended = true
    },
  })
  const made: Client = {
    reading,
    text: () => Buffer.concat(parts).toString(),
    bytes: () => Buffer.concat(parts),
    get ended() {
      return ended
    },
    left: undefined,
    stall() {
      stalled = true
    },
    go() {
      stalled = false
      taken?.()
      taken = undefined
    },
  }
  void reading.done.then((why) => {
    made.left = why
  })
  return made
}

/** A store whose answers come one by one, when they are called for. */
export interface GatedStore extends FactStore {
  /** How many calls wait. */
  readonly waiting: number
  /** Lets the oldest call happen. */
  next(): void
  /** Calls happen at once, from now on. */
  open(): void
  /** Calls wait again. */
  shut(): void
  /** Nothing is answered any more: whoever called is dead. */
  kill(): void
}

export function gated(store: FactStore): GatedStore {
  let calls: (() => void)[] = []
  let isOpen = false
  let isDead = false

  function gate<Args extends readonly unknown[], Result>(
    call: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return async (...args) => {
      if (isDead) await new Promise<void>(() => undefined)
      if (!isOpen) await new Promise<void>((resolve) => calls.push(resolve))
      return call(...args)
    }
  }

  return {
    create: gate(store.create),
    load: gate(store.load),
    acquire: gate(store.acquire),
    renew: gate(store.renew),
    release: gate(store.release),
    reserve: gate(store.reserve),
    append: gate(store.append),
    facts: gate(store.facts),
    steps: gate(store.steps),
    abandoned: gate(store.abandoned),
    get waiting() {
      return calls.length
    },
    next: () => calls.shift()?.(),
    kill() {
      isDead = true
      calls = []
    },
    shut() {
      isOpen = false
    },
    open() {
      isOpen = true
      const all = calls
      calls = []
      for (const each of all) each()
    },
  }
}
