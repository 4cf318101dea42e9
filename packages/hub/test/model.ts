/**
 * What may happen to a run and its readers, in any order; and what must be so in the end.
 *
 * The model is the list of facts in the store. Whatever was cut, stalled, skipped or killed: each client ends with the view of
 * who was given just those facts.
 */
import { type ClientView, type LiveRun, readMessages, type Subject } from '@factwire/conformance'
import { type Breach, type AgentEvent, checkGrammar, factEvent } from '@factwire/core'
import fc from 'fast-check'
import { compared } from '../../conformance/src/seen.ts'
import { tellBreach } from '../../conformance/src/check-frames.ts'
import { contextOf, encode } from '../../conformance/src/encode.ts'
import { type FactStore, type Hub, type Limits, type Producer, createHub, memoryStore } from '../src/index.ts'
import { type ManualClock, manualClock } from '../src/testing.ts'
import { type Client, type GatedStore, client, gated, quiet } from './world.ts'

export type Action =
  | { readonly type: 'say' | 'turn' | 'store' | 'flow' | 'attach' }
  | { readonly type: 'back' | 'stall' | 'go'; readonly who: number }
  /** The client goes, and has got so many thousandths of what was on the way. */
  | { readonly type: 'cut'; readonly who: number; readonly at: number }
  | { readonly type: 'pass'; readonly milliseconds: number }

const anyWho = fc.nat({ max: 3 })

export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Action>({ type: 'say' }) },
  { weight: 4, arbitrary: fc.constant<Action>({ type: 'turn' }) },
  { weight: 5, arbitrary: fc.constant<Action>({ type: 'store' }) },
  { weight: 20, arbitrary: fc.constant<Action>({ type: 'flow' }) },
  { weight: 3, arbitrary: fc.constant<Action>({ type: 'attach' }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('cut' as const), who: anyWho, at: fc.nat({ max: 1000 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('back' as const), who: anyWho }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('stall' as const), who: anyWho }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('go' as const), who: anyWho }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('pass' as const), milliseconds: fc.constantFrom(1000, 16_000, 31_000) }),
  },
)

/** What happens to readers while a run goes its way: each after so many thousandths of it. */
export const anyCourse: fc.Arbitrary<readonly { readonly at: number; readonly action: Action }[]> = fc.array(
  fc.record({
    at: fc.nat({ max: 1000 }),
    action: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Action>({ type: 'attach' }) },
      { weight: 3, arbitrary: fc.record({ type: fc.constant('stall' as const), who: anyWho }) },
      { weight: 3, arbitrary: fc.record({ type: fc.constant('go' as const), who: anyWho }) },
      {
        weight: 1,
        arbitrary: fc.record({ type: fc.constant('cut' as const), who: anyWho, at: fc.nat({ max: 1000 }) }),
      },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('back' as const), who: anyWho }) },
    ),
  }),
  { minLength: 4, maxLength: 16, size: 'max' },
)

/** The actions of a course: between any two the run flows. */
export function actionsOf(
  course: readonly { readonly at: number; readonly action: Action }[],
  { script }: LiveRun,
): Action[] {
  const due = course
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, action }) => ({ at: Math.floor((at * script.length) / 1000), action }))
  const flow: Action = { type: 'flow' }
  return [
    { type: 'attach' },
    ...script.flatMap((_item, index) => [...due.filter(({ at }) => at === index).map(({ action }) => action), flow]),
  ]
}

/** A client of a wire over all its connections. */
interface Visitor {
  /** Whole frames of connections that are over. */
  had: string
  /** What was had before the connection that is, or was last. */
  before: string
  body: string
  now: Client | undefined
  complete: boolean
  /** What the wire's grammar has against its connections, but those that go on with another. */
  readonly breaches: string[]
}

export interface Played {
  /** Of each visitor, and of who was given just the facts. */
  readonly views: readonly {
    readonly view: unknown
    readonly truth: unknown
    readonly told: string
    /** What the wire's grammar has against it. */
    readonly breaches: readonly string[]
    readonly code: string | undefined
  }[]
  readonly errors: readonly unknown[]
  readonly hub: Hub
}

export interface PlayOptions {
  readonly limits?: Partial<Limits>
  /** The process of the producer is over at the end of the actions: killed, or closed in good order, and another looks after the run. */
  readonly over?: 'killed' | 'closed'
  /** The segment in which the run goes on. */
  readonly second?: LiveRun
}

const LAST_ID = /(?:^|\n)id: (\d+)\n/g

export async function play<Frame, Options>(
  subject: Subject<Frame, Options>,
  run: LiveRun,
  actions: readonly Action[],
  options: PlayOptions = {},
): Promise<Played> {
  const { second } = options
  const context = contextOf(subject, run)
  const { runId } = context
  const { protocol } = subject
  const kept = memoryStore()
  const clock = manualClock(1_000_000)
  const errors: unknown[] = []
  const visitors: Visitor[] = []
  let script = [...run.script]
  let hasGoneOn = false
  let epoch = started(kept, clock, errors, options)
  let producer: Producer | undefined

  const settle = (): Promise<void> => quiet(clock)
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
    const ids = [...visitor.had.matchAll(LAST_ID)]
    const position = protocol.resume === 'tail' ? ids.at(-1)?.[1] : undefined
    const attached = await within(
      epoch.hub.attach(runId, protocol, {
        spans: protocol.resume === 'tail' ? 'run' : 'segment',
        onLeave: 'keep',
        ...(position === undefined ? {} : { lastEventId: position }),
        ...(subject.options === undefined ? {} : { transcoder: subject.options }),
      }),
    )
    if (attached.type === 'over') {
      visitor.complete = true
      return
    }
    visitor.before = visitor.had
    visitor.now = client(attached)
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

  /** Half a frame is none. */
  function take(visitor: Visitor, body: string): void {
    const end = body.lastIndexOf('\n\n')
    const whole = end < 0 ? '' : body.slice(0, end + 2)
    visitor.body = body
    if (protocol.resume !== 'tail' || visitor.before === '') {
      visitor.breaches.push(...breachesOf(subject, whole).map(tellBreach))
    }
    // Who reads one answer after the other as one stream has a position; any other page has at most read one before.
    visitor.had = protocol.resume === 'tail' ? visitor.before + whole : protocol.resume === 'replay' ? whole : ''
    visitor.now = undefined
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

  async function act(action: Action): Promise<void> {
    switch (action.type) {
      case 'say': {
        if (script.length === 0) await goOn()
        const item = script.shift()
        if (!item || !producer) return
        if ('commit' in item) producer.commit(item.commit).catch((error: unknown) => errors.push(error))
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
        const visitor: Visitor = { had: '', before: '', body: '', now: undefined, complete: false, breaches: [] }
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
    clock.advance(25_000)
    await settle()
    clock.advance(25_000)
    await settle()
  } else {
    epoch.store.open()
    await settle()
    while (script.length > 0 || (second && !hasGoneOn)) await act({ type: 'say' })
    await settle()
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

  const facts = (await kept.facts(runId, -1, 100_000)).map(({ fact }): AgentEvent => factEvent(fact))
  const waits = second ? facts.findIndex(({ event }) => event.type === 'awaiting') + 1 : facts.length
  const rest = second ? encode(subject, second, facts.slice(waits), { first: run }).body : ''
  const truthBody = encode(subject, run, facts.slice(0, waits)).body + rest
  const stage = second ? { run: second, context: contextOf(subject, second, run), first: run } : { run, context }
  const truth = await subject.view(truthBody, stage)
  // What was given up keeps its id where nothing can be taken back.
  const named = subject.repairs !== false || !(run.resets || second?.resets)
  const views = await Promise.all(
    visitors.map(async ({ before, body, breaches }) => {
      const had = protocol.resume === 'none' || before === '' ? {} : { had: before }
      const view = await subject.view(body, { ...stage, ...had })
      const warnings = view.warnings.filter((warning) => !subject.isBeyondGrammar?.(warning))
      // A document that no commit has told is no fact, and no wire can take it back.
      const told = options.over ? toldIn(truth) : {}
      return {
        view: {
          ...Object(shown(view, named)),
          warnings,
          ...told,
          ...(options.over ? { activities: toldOf(view, truth) } : {}),
        },
        truth: { ...Object(shown(truth, named)), warnings: [], ...told },
        told: before + '\n=====\n' + body + '\n=== truth\n' + truthBody,
        breaches,
        code: view.code,
      }
    }),
  )
  return { views, errors, hub: epoch.hub }
}

const shown = (view: Parameters<typeof compared>[0], ids: boolean): unknown => ({
  ...Object(compared(view, { ids, reasoning: false, more: false })),
  rejected: view.rejected,
})

/** What a client has read of one response, against the rules of its wire. */
function breachesOf<Frame, Options>({ protocol }: Subject<Frame, Options>, body: string): readonly Breach[] {
  const check = checkGrammar(protocol.grammar)
  const frames = readMessages([Buffer.from(body)]).flatMap((message) => protocol.framing.parse(message) ?? [])
  return frames.flatMap((frame) => check.push(frame))
}

const toldIn = ({ state }: ClientView): object => (state === undefined ? { state } : {})

/** Of the activities that somebody sees those that a commit has told of. */
function toldOf({ activities = [] }: ClientView, truth: ClientView): ClientView['activities'] {
  const keys = new Set(truth.activities?.map(keyOf))
  const told = activities.filter((activity) => keys.has(keyOf(activity)))
  return truth.activities && told
}

const keyOf = (activity: object): string => {
  const { content: _, ...rest } = activity as { readonly content?: unknown }
  return JSON.stringify(rest)
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
    onError: (error) => errors.push(error),
    ...(limits ? { limits } : {}),
  })
  return { hub, store }
}
