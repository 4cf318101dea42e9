/** Calls that somebody else has answered than the one who was to run them, and whoever comes after that. */
import { runWriter } from '@factwire/core'
import { expect, test } from 'vitest'
import { openaiResponses } from '../../openai-responses/src/index.ts'
import { memoryStore } from '../src/index.ts'
import { RUN } from './conversation.ts'
import { client, world } from './world.ts'

test('who comes when a run is lost is not told that the agent ran what the client was to run', async () => {
  const store = memoryStore()
  const before = world({ store })
  const producer = await before.hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.toolCall('a', 'look_up', '{}'))
  void producer.write(writer.toolCall('b', 'choose', '{}', 'pending_client'))
  await producer.write(writer.commit())
  await before.hub.close()

  const { hub, pass, settle } = world({ store, owner: 'another', clock: before.clock })
  await pass(60_000)
  const late = client(await hub.attach(RUN.runId, openaiResponses, { transcoder: { clientTools: ['choose'] } }))
  await settle()
  expect(late.text()).toContain('look_up')
  expect(late.text()).not.toContain('choose')
  expect(late.text()).toContain('response.failed')
})
