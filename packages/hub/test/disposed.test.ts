import { runWriter } from '@factwire/core'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { memoryStore } from '../src/index.ts'
import { RUN } from './conversation.ts'
import { world } from './world.ts'

test('a hub that is closed while it reads a run holds nothing of it afterwards', async () => {
  const kept = memoryStore()
  const first = world({ store: kept })
  const producer = await first.hub.produce(RUN)
  const writer = runWriter(RUN)
  void producer.write(writer.text('Hello'))
  await producer.write(writer.end())
  await first.hub.close()

  let answer: (() => void) | undefined
  const steps: typeof kept.steps = async (...of) => {
    await new Promise<void>((resolve) => void (answer = resolve))
    return kept.steps(...of)
  }
  const { hub, settle, pass } = world({ store: { ...kept, steps } })
  const attached = hub.attach(RUN.runId, sse).catch((error: unknown) => error)
  await settle()
  const closing = hub.close()
  await pass(12_000)
  await closing
  answer?.()
  await settle()
  await attached
  const { threadUnits, pastUnits, openUnits, windowBytes } = hub.metrics()
  expect({ threadUnits, pastUnits, openUnits, windowBytes }).toEqual({
    threadUnits: 0,
    pastUnits: 0,
    openUnits: 0,
    windowBytes: 0,
  })
})
