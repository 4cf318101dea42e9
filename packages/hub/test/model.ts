/**
 * A run and its readers, to whom anything happens in any order; and what must be so in the end.
 *
 * The model is the list of facts in the store. Whatever was cut, stalled, skipped or killed: each client ends with the view of
 * who was given just those facts.
 */
import type { LiveRun } from '@factwire/conformance'
import { FactwireError } from '@factwire/core'
import { contextOf } from '../../conformance/src/encode.ts'
import { type FactStore, type Hub, type Producer, type Limits, createHub, memoryStore } from '../src/index.ts'
import { type ManualClock, manualClock } from '../src/testing.ts'
import type { Action } from './actions.ts'
import { type AnySubject, type Judged, judge } from './judge.ts'
import { comes, cutShort, LAST_ID, take, type Visitor } from './visitor.ts'
import { type Client, type GatedStore, client, gated, quiet } from './world.ts'

export interface Played {
  /** Of each visitor. */
  readonly views: readonly Judged[]
  readonly errors: readonly unknown[]
  readonly hub: Hub
}

export interface PlayOptions {
  readonly limits?: Partial<Limits>
  /** The process of the producer is over at the end of the actions: killed, or closed in good order, and another looks after the run. */
  readonly over?: 'killed' | 'closed'
  /** The segment in which the run goes on. */
  readonly second?: LiveRun
  /** How many frames of what each reader has read others come back after. Default: 2. */
  readonly places?: number
}

/** Readers come in turns with one wire and the next; the run is as the server of the first has it. */
export async function play(
  wires: readonly [AnySubject, ...AnySubject[]],
  run: LiveRun,
  actions: readonly Action[],
  options: PlayOptions = {},
): Promise<Played> {
  const { second } = options
  const [first] = wires
  const subjects = wires.map((subject): AnySubject => ({ ...subject, context: (...of) => contextOf(first, ...of) }))
  const context = contextOf(first, run)
  const { runId } = context
  const kept = memoryStore()
  const clock = manualClock(1_000_000)
  const errors: unknown[] = []
  const visitors: Visitor[] = []
  let script = [...run.script]
  let hasGoneOn = false
  let epoch = started(kept, clock, errors, options)
  let producer: Producer | undefined
  /** The gate was shut for so long that the producer was told. */
  let isLost = false

  const settle = (): Promise<void> => quiet(clock)
  async function pass(): Promise<void> {
    clock.advance(25_000)
    await settle()
  }
  const beat = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  async function within<Value>(promise: Promise<Value>): Promise<Value> {
    const { store } = epoch
    let over = false
    void promise
      .finally(() => {
        over = true
      })
      .catch(() => undefined)
    for (let round = 0; round < 100; round++) {
      await beat()
      if (over) break
      store.next()
    }
    return promise
  }

  async function attach(visitor: Visitor): Promise<void> {
    const { protocol, options: transcoder } = visitor.subject
    const ids = [...visitor.had.matchAll(LAST_ID)]
    const position = protocol.resume === 'tail' ? ids.at(-1)?.[1] : undefined
    const attached = await within(
      epoch.hub.attach(runId, protocol, {
        spans: protocol.resume === 'tail' ? 'run' : 'segment',
        onLeave: 'keep',
        // A client of one run has the thread before it in any case, and need not say so.
        ...(visitor.had === '' && visitors.indexOf(visitor) % 2 === 1 ? { has: 'thread' as const } : {}),
        ...(position === undefined ? {} : { lastEventId: position }),
        ...(transcoder === undefined ? {} : { transcoder }),
      }),
    )
    if (attached.type === 'over') visitor.complete = true
    else {
      visitor.before = visitor.had
      visitor.now = client(attached)
    }
  }

  /** The connection is over; of the bytes that were sent, so many thousandths have come. */
  function cut(visitor: Visitor, at: number): void {
    const { now } = visitor
    if (!now) return
    now.reading.leave()
    now.go()
    const bytes = now.bytes()
    take(visitor, bytes.subarray(0, Math.floor((at * bytes.length) / 1000)).toString())
  }

  function finish(visitor: Visitor, { text }: Client): void {
    take(visitor, text())
    visitor.complete = true
  }

  /** The run waits, and somebody has answered. */
  async function goOn(): Promise<void> {
    if (!second || hasGoneOn) return
    hasGoneOn = true
    for (let round = 0; round < 20; round++) {
      epoch.store.next()
      await beat()
    }
    producer = await within(epoch.hub.produce(context))
    script = [...second.script]
  }

  function refused(error: unknown): void {
    if (error instanceof FactwireError && error.code === 'store_failed') isLost = true
    else errors.push(error)
  }

  async function act(action: Action): Promise<void> {
    switch (action.type) {
      case 'say': {
        if (script.length === 0) await goOn()
        const item = script.shift()
        if (!item || !producer) return
        if ('commit' in item) producer.commit(item.commit).catch(refused)
        else producer.delta(item.delta)
        return
      }
      case 'turn':
        clock.turn()
        return
      case 'store':
        epoch.store.next()
        await beat()
        return
      case 'attach': {
        if (visitors.length >= 5) return
        const visitor = comes(subjects[visitors.length % subjects.length] ?? first, '')
        visitors.push(visitor)
        await attach(visitor)
        return
      }
      case 'flow':
        await act({ type: 'say' })
        await act({ type: 'store' })
        clock.turn()
        return
      case 'pass':
        clock.advance(action.milliseconds)
        await beat()
        return
      default: {
        const visitor = visitors[action.who % Math.max(visitors.length, 1)]
        if (!visitor) return
        if (action.type === 'cut') cut(visitor, action.at)
        else if (action.type === 'stall') visitor.now?.stall()
        else if (action.type === 'go') visitor.now?.go()
        else if (!visitor.now && !visitor.complete) await attach(visitor)
      }
    }
  }

  producer = await within(epoch.hub.produce(context))
  for (const action of actions) await act(action)

  if (options.over) {
    if (options.over === 'killed') {
      for (const visitor of visitors) cut(visitor, 700)
      epoch.store.kill()
    } else {
      epoch.store.open()
      const closing = epoch.hub.close()
      await settle()
      // It waits for what was given up to be tried again, and not for long.
      if (epoch.hub.metrics().storeFailures > 0) clock.advance(10_000)
      await closing
      // Whoever still reads gets all that was sent, whole frames, and an end.
      for (const visitor of visitors) {
        if (!visitor.now) continue
        if (!visitor.now.ended) throw new Error('a closed hub has forgotten a response')
        cut(visitor, 1000)
        if (!/^$|(\n\n|: heartbeat\n)$/.test(visitor.body)) throw new Error('a frame was cut')
      }
    }
    epoch = started(kept, clock, errors, options)
    epoch.store.open()
    await pass()
    await pass()
  } else {
    epoch.store.open()
    await settle()
    while (!isLost && (script.length > 0 || (second && !hasGoneOn))) await act({ type: 'say' })
    await settle()
    // What was given up is tried again.
    if (epoch.hub.metrics().storeFailures > 0) {
      clock.advance(2000)
      await settle()
    }
    if (isLost) {
      await pass()
      await pass()
    }
  }
  await act({ type: 'attach' })
  for (let round = 0; round < 6; round++) {
    for (const visitor of visitors) {
      visitor.now?.go()
      await settle()
      if (visitor.now?.left === 'complete') finish(visitor, visitor.now)
      // Ended, not forgotten.
      else if (visitor.now?.ended) cut(visitor, 1000)
      if (!visitor.now && !visitor.complete) await attach(visitor)
    }
    await settle()
  }
  // While a run waits its stream stays open.
  for (const visitor of visitors)
    if ((second ?? run).after.state?.type === 'awaiting' && visitor.now) finish(visitor, visitor.now)
  if (visitors.some(({ complete }) => !complete)) throw new Error('a client never gets to the end')
  for (const { subject, had } of visitors.flatMap((visitor) => cutShort(visitor, options.places ?? 2))) {
    const back = comes(subject, had)
    visitors.push(back)
    await attach(back)
    await settle()
    if (back.now) finish(back, back.now)
    else back.body = had
  }

  const facts = (await kept.facts(runId, -1, 100_000)).map(({ fact }) => fact)
  const views = await judge(visitors, facts, {
    run,
    ...(second ? { second } : {}),
    isOver: isLost || options.over !== undefined,
  })
  return { views, errors, hub: epoch.hub }
}

interface Started {
  readonly hub: Hub
  readonly store: GatedStore
}

function started(kept: FactStore, clock: ManualClock, errors: unknown[], { limits }: PlayOptions): Started {
  const store = gated(kept)
  const hub = createHub({
    store,
    owner: `process-${clock.now()}`,
    clock,
    onError(error) {
      // The gate may stay shut while time passes.
      if (!/has not answered within/.test(String(error))) errors.push(error)
    },
    ...(limits ? { limits } : {}),
  })
  return { hub, store }
}
