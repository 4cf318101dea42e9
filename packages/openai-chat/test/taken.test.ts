/** A call that the client was shown, and that somebody else has answered before the run waits. */
import { runWriter } from '@factwire/core'
import { expect, test } from 'vitest'
import { transcoder, type WrittenFrame } from '../src/index.ts'

const RUN = { threadId: 't', runId: 'r' }

test('it is not the client’s to run any more, so that a run that waits for another call cannot go on with it', () => {
  const writer = runWriter(RUN)
  const target = transcoder(RUN, { clientTools: ['choose'] })
  const written = [
    writer.toolCall('a', 'choose', '{}', 'pending_client'),
    writer.toolCall('b', 'choose', '{}', 'pending_client'),
    writer.commit({
      pending: [
        { tool_use_id: 'a', kind: 'client' },
        { tool_use_id: 'b', kind: 'client' },
      ],
    }),
    writer.toolResult('a', 'red'),
    writer.await([{ tool_use_id: 'b', kind: 'client' }]),
  ]
  const frames: readonly WrittenFrame[] = written.flatMap(({ events }) =>
    events.flatMap(({ tier, event }) => [...(tier === 'fact' ? target.fact(event) : target.delta(event))]),
  )
  expect(frames.at(-1)).toMatchObject({ error: { code: 'stream_reconciliation_failed' } })
})
