/** Readers that are behind wait for each other, and nobody waits for them. */
import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { turns } from '../src/turns.ts'
import { manualClock } from '../src/testing.ts'
import { RUN } from './conversation.ts'
import { client, world } from './world.ts'

/** A clock by which each slice of work takes some time. */
function busy(): { readonly clock: ReturnType<typeof manualClock>; work(milliseconds: number): void } {
  const clock = manualClock()
  let spent = 0
  return {
    clock: { ...clock, now: () => clock.now() + spent },
    work(milliseconds) {
      spent += milliseconds
    },
  }
}

test('there is a turn at once while there is time, and the next ones in their order', () => {
  const { clock, work } = busy()
  const { ask } = turns(clock, 5)
  const done: number[] = []
  const take = (who: number) => (): void => {
    done.push(who)
    work(3)
  }
  for (const who of [1, 2, 3, 4, 5]) if (ask(take(who))) take(who)()
  expect(done).toEqual([1, 2])
  clock.soon(() => done.push(0))
  clock.turn()
  // What else was due comes in between.
  expect(done).toEqual([1, 2, 3, 4, 0, 5])
  expect(ask(take(6))).toBe(true)
})

test('who asks for the next slice stands behind those who wait', () => {
  const { clock, work } = busy()
  const { ask } = turns(clock, 5)
  const done: string[] = []
  function slice(who: string, left: number): void {
    done.push(who)
    work(10)
    if (left > 0 && ask(() => slice(who, left - 1))) done.push('at once')
  }
  for (const who of ['a', 'b', 'c']) if (ask(() => slice(who, 2))) slice(who, 2)
  clock.turn()
  // The first had one at once.
  expect(done.join('')).toBe('aabcabcbc')
})

test('what is live comes between the slices of those who catch up', async () => {
  const { clock, work } = busy()
  const { hub, settle } = world({ clock, limits: { windowBytes: 500, recentFacts: 1000 } })
  const producer = await hub.produce(RUN)
  const fast = client(await hub.attach(RUN.runId, sse))
  const order: string[] = []
  let stalled = true
  const going: (() => void)[] = []
  for (let index = 0; index < 10; index++) {
    const attached = await hub.attach(RUN.runId, sse)
    if (attached.type !== 'stream') throw new Error('no stream')
    attached.pipe({
      write(bytes) {
        // Each slice takes longer than all of them may in one turn.
        work(10)
        if (Buffer.from(bytes).toString().includes('step 99 ')) order.push('slow')
        return stalled ? new Promise<void>((resolve) => void going.push(resolve)) : undefined
      },
      end: () => undefined,
    })
  }
  const writer = runWriter(RUN)
  for (let step = 0; step < 100; step++) {
    void producer.write(writer.text(`step ${step} `))
    void producer.write(writer.commit())
    await settle()
  }
  stalled = false
  for (const go of going) go()
  await Promise.resolve()
  void producer.write(writer.text('live'))
  clock.soon(() => order.push(fast.text().includes('live') ? 'live' : 'not yet'))
  await settle()
  expect(order.filter((who) => who === 'slow')).toHaveLength(10)
  expect(order.indexOf('live')).toBeGreaterThanOrEqual(0)
  expect(order.indexOf('live')).toBeLessThan(3)
})
