/** Readers that came late, and fall behind then. */
import { agUi } from '@factwire/ag-ui'
import { runWriter } from '@factwire/core'
import { expect, test } from 'vitest'
import { RUN } from './conversation.ts'
import { client, world } from './world.ts'

test('who joined a stream that can be mended, and falls behind, is not told an end that says nothing', async () => {
  const { hub, settle } = world({ limits: { windowBytes: 300, recentFacts: 1, pageFacts: 1 } })
  const producer = await hub.produce(RUN)
  const writer = runWriter(RUN)
  // Without its history a client of this wire cannot be mended: who is there from the beginning sees the stream fail.
  void producer.write(writer.text('Left'))
  await settle()
  void producer.write(writer.reset('again'))
  void producer.write(writer.text('Right'))
  await settle()
  const late = client(await hub.attach(RUN.runId, agUi))
  await settle()
  void producer.write(writer.commit())
  await settle()
  void producer.write(writer.text('Then on. '))
  await settle()
  late.stall()
  for (let more = 0; more < 20; more++) {
    void producer.write(writer.text('and on '))
    await settle()
  }
  void producer.write(writer.end())
  await settle()
  late.go()
  await settle()
  expect({ left: late.left, told: late.text().includes('RUN_FINISHED') }).not.toEqual({ left: 'complete', told: false })
  expect(late.left).toBe('blocked')
})
