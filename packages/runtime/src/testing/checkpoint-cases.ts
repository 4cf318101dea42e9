/** What every store of checkpoints has to do. Each case has runs of its own, so that one store may be shared by all. */
import type { StreamCheckpoint, StreamCheckpointStore } from '../checkpoint.ts'
import { demandEqual, type PortCase } from './port-case.ts'

const checkpoint = (run_id: string, partial_text: string): StreamCheckpoint => ({
  run_id,
  thread_id: 'thread',
  after: null,
  upstream_model: 'm-large',
  partial_text,
  completed_tool_calls: [{ id: 'c1', name: 'find', arguments: { q: 0, none: null } }],
  in_flight_tool: { id: 'c2', name: 'get', partial_args: '{"u":"\\' },
  updated_at_ms: 1_780_000_000_000,
})

export const checkpointCases: readonly PortCase<StreamCheckpointStore>[] = [
  {
    name: 'a run without a checkpoint has none',
    async run(store) {
      demandEqual(await store.get('none'), undefined, 'the checkpoint')
      await store.delete('none')
    },
  },
  {
    name: 'a checkpoint is read again as it was',
    async run(store) {
      const whole = checkpoint('read', 'Grüße \u2028 "\\ \u0000 🌍 \ud83c')
      await store.put(whole)
      demandEqual(await store.get('read'), whole, 'with everything')
      const least = { ...whole, after: 'm1', completed_tool_calls: [], in_flight_tool: null }
      await store.put(least)
      demandEqual(await store.get('read'), least, 'with hardly anything')
    },
  },
  {
    name: 'a checkpoint takes the place of the earlier one of its run, and of no other',
    async run(store) {
      await store.put(checkpoint('other', 'stays'))
      for (const text of ['one', 'one two', 'one two three']) await store.put(checkpoint('place', text))
      demandEqual((await store.get('place'))?.partial_text, 'one two three', 'the newest')
      demandEqual((await store.get('other'))?.partial_text, 'stays', 'the other')
    },
  },
  {
    name: 'of two that are put one after the other the later is kept',
    async run(store) {
      await Promise.all([store.put(checkpoint('race', 'one')), store.put(checkpoint('race', 'two'))])
      demandEqual((await store.get('race'))?.partial_text, 'two', 'the checkpoint')
    },
  },
  {
    name: 'what is deleted is gone, of this run and of no other',
    async run(store) {
      await store.put(checkpoint('gone', 'x'))
      await store.put(checkpoint('there', 'x'))
      await store.delete('gone')
      await store.delete('gone')
      demandEqual(await store.get('gone'), undefined, 'the checkpoint')
      demandEqual((await store.get('there'))?.partial_text, 'x', 'the other')
    },
  },
]
