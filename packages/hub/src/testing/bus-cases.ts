/** What every live bus has to do. `settle` waits until what was published has come, or never will. */
import type { LiveBus, LiveMessage } from '../bus.ts'
import { demandEqual, type PortCase } from './port-case.ts'

/** A bus, and how to wait until what was published has come. */
export interface BusUnderTest {
  readonly bus: LiveBus
  settle(): Promise<void>
}

const facts = (last: number): LiveMessage => ({ type: 'facts', epoch: 1, last })

export const busCases: readonly PortCase<BusUnderTest>[] = [
  {
    name: 'who has subscribed gets what is published then, in its order',
    async run({ bus, settle }) {
      const got: LiveMessage[] = []
      bus.publish('order', facts(0))
      await bus.subscribe('order', (message) => got.push(message))
      const sent: LiveMessage[] = [
        facts(1),
        {
          type: 'deltas',
          epoch: 2,
          after: 1,
          deltas: [{ seq: 2, delta: { type: 'text_delta', delta: 'Grüße \u2028', message_id: 'm', offset: 0 } }],
        },
        { type: 'wanted' },
        { type: 'ask', ask: { type: 'stopped', code: 'c', detail: 'd' } },
      ]
      for (const message of sent) bus.publish('order', message)
      await settle()
      demandEqual(got, sent, 'messages')
    },
  },
  {
    name: 'a message is for its run alone, and for all who subscribed to that',
    async run({ bus, settle }) {
      const got: string[] = []
      await bus.subscribe('one', () => got.push('a'))
      await bus.subscribe('one', () => got.push('b'))
      await bus.subscribe('two', () => got.push('c'))
      bus.publish('one', facts(1))
      await settle()
      demandEqual(got.toSorted(), ['a', 'b'], 'listeners')
    },
  },
  {
    name: 'who has left gets nothing more, and others still do',
    async run({ bus, settle }) {
      const got: string[] = []
      const listener = (): void => void got.push('a')
      const leave = await bus.subscribe('leave', listener)
      await bus.subscribe('leave', listener)
      leave()
      leave()
      bus.publish('leave', facts(1))
      await settle()
      demandEqual(got, ['a'], 'listeners')
    },
  },
  {
    name: 'publishing calls nobody back before it returns, and throws nothing',
    async run({ bus, settle }) {
      let isBack = false
      let early = false
      await bus.subscribe('later', () => {
        early ||= !isBack
      })
      bus.publish('later', facts(1))
      isBack = true
      await settle()
      demandEqual(early, false, 'called back')
    },
  },
]
