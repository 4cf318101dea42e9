/** A run that another process produces, over a bus that loses, doubles and delays: readers there, also who was cut off here, end with the truth. */
import { type LiveRun, anyResumedRun, anyRun } from '@factwire/conformance'
import { factEvent } from '@factwire/core'
import { sse } from '@factwire/sse'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextOf, encode } from '../../conformance/src/encode.ts'
import { compared } from '../../conformance/src/seen.ts'
import { subject } from '../../sse/test/subject.ts'
import { type LiveBus, memoryBus, memoryStore } from '../src/index.ts'
import { manualClock } from '../src/testing.ts'
import { overlapped } from './overlap.ts'
import { LAST_ID } from './visitor.ts'
import { type Client, client, type World, world } from './world.ts'

/** Loses, doubles and delays as a list of numbers says. */
function unreliable(fates: readonly number[]): LiveBus {
  const bus = memoryBus()
  let at = 0
  const late: (() => void)[] = []
  return {
    ...bus,
    publish(runId, message) {
      const fate = fates[at++ % fates.length] ?? 0
      const send = (): void => bus.publish(runId, message)
      if (fate === 1) return
      if (fate === 3) {
        late.push(send)
        return
      }
      send()
      if (fate === 2) send()
      for (const each of late.splice(0)) each()
    },
  }
}

interface Two {
  readonly here: World
  readonly there: World
  attach(where: World, lastEventId?: string): Promise<Client>
  /** What a client ends with that has read that much before, beside what the facts alone show. */
  judge(read: Client, had?: string): Promise<void>
}

/** Plays the run here, and its second segment there; before its item with that number something happens. */
async function play(
  run: LiveRun,
  fates: readonly number[],
  before: (index: number, two: Two) => Promise<void>,
  second?: LiveRun,
): Promise<Two> {
  const { runId } = run.run
  const [store, clock, bus] = [memoryStore(), manualClock(), unreliable(fates)]
  const [here, there] = [world({ store, clock, bus, owner: 'here' }), world({ store, clock, bus, owner: 'there' })]
  const stage = second
    ? { run: second, context: contextOf(subject, second, run), first: run }
    : { run, context: run.run }
  const two: Two = {
    here,
    there,
    attach: async ({ hub }, lastEventId = '') => client(await hub.attach(runId, sse, { lastEventId })),
    async judge({ text }, had = '') {
      const facts = (await store.facts(runId, -1, 10_000)).map(({ fact }) => factEvent(fact))
      const waits = second ? facts.findIndex(({ event }) => event.type === 'awaiting') + 1 : facts.length
      const rest = second ? encode(subject, second, facts.slice(waits), { first: run }).body : ''
      const truth = await subject.view(encode(subject, run, facts.slice(0, waits)).body + rest, stage)
      const view = await subject.view(text(), { ...stage, ...(had === '' ? {} : { had }) })
      // Who comes in a later segment is told what that has cost.
      const [same, told] = [{ ids: true, reasoning: false, more: !second }, `${had}=====\n${text()}`]
      expect({ seen: compared(view, same), told }).toEqual({ seen: compared(truth, same), told })
    },
  }
  let index = 0
  async function say(where: World, { script }: LiveRun): Promise<void> {
    const producer = await where.hub.produce(run.run)
    for (const item of script) {
      await before(index++, two)
      if ('commit' in item) void producer.commit(item.commit)
      else producer.delta(item.delta)
      clock.turn()
      await Promise.resolve()
    }
  }
  await say(here, run)
  if (second) {
    await here.settle()
    await say(there, second)
  }
  await before(index, two)
  await here.settle()
  await here.pass(2000)
  return two
}

async function close({ here, there }: Two): Promise<void> {
  expect([...here.errors, ...there.errors]).toEqual([])
  await here.hub.close()
  await there.hub.close()
}

const anyFates = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 20 })
const anyDelays = fc.oneof(fc.constant([0]), fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 6 }))
const anyMarkedRun = fc
  .tuple(
    anyRun().filter(({ marked }) => marked),
    anyDelays,
  )
  .map(([run, delays]) => overlapped(run, delays))
const anyPlace = fc.nat({ max: 1000 })
const options = {
  seed: Number(process.env['FACTWIRE_SEED'] ?? 20),
  numRuns: Math.ceil(Number(process.env['FACTWIRE_RUNS'] ?? 200) / 4),
}
const placeIn = ({ script }: LiveRun, thousandths: number): number => Math.floor((thousandths * script.length) / 1000)

test('whatever the bus loses, doubles or delays, readers of another process end with the committed view', async () => {
  await fc.assert(
    fc.asyncProperty(anyMarkedRun, anyFates, anyPlace, async (run, fates, at) => {
      const readers: Client[] = []
      const two = await play(run, fates, async (index, { attach, there }) => {
        if (index === 0 || index === placeIn(run, at)) readers.push(await attach(there))
      })
      expect(readers).toHaveLength(placeIn(run, at) === 0 ? 1 : 2)
      for (const each of readers) await two.judge(each)
      await close(two)
    }),
    options,
  )
}, 600_000)

interface Course {
  readonly first: LiveRun
  readonly second?: LiveRun
}
const anyCourse: fc.Arbitrary<Course> = fc.oneof(
  anyMarkedRun.map((first) => ({ first })),
  anyResumedRun().filter(({ first, second }) => first.marked && second.marked),
)

test('who was cut off and comes back to another process ends with the committed view', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyCourse,
      anyFates,
      fc.tuple(anyPlace, anyPlace).map((places) => places.toSorted((a, b) => a - b)),
      anyPlace,
      async ({ first, second }, fates, [cut = 0, comes = 0], part) => {
        const whole = second ? { ...first, script: [...first.script, ...second.script] } : first
        let near: Client | undefined
        let back: Client | undefined
        let had = ''
        const two = await play(
          first,
          fates,
          async (index, { attach, here, there }) => {
            if (index === 0) {
              await attach(there)
              near = await attach(part % 5 < 2 ? there : here)
            }
            if (index === placeIn(whole, cut)) {
              await here.settle()
              const body = near?.text() ?? ''
              const ends = [...body.matchAll(/\n\n/g)].map(({ index: end }) => end + 2)
              had = body.slice(0, ends[Math.floor((part * ends.length) / 1001)] ?? 0)
              near?.reading.leave()
            }
            if (index !== placeIn(whole, comes)) return
            // What is on its way to it may have come, or not.
            if (part % 2 === 0) await here.settle()
            back = await attach(part % 3 === 0 ? here : there, [...had.matchAll(LAST_ID)].at(-1)?.[1])
          },
          second,
        )
        expect(back?.ended).toBe((second ?? first).after.state?.type === 'ended')
        if (back) await two.judge(back, had)
        await close(two)
      },
    ),
    options,
  )
}, 600_000)
