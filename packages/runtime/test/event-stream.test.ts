import type { AgentEvent, Commit } from '@factwire/core'
import { sse, respond } from '@factwire/sse'
import { expect, test } from 'vitest'
import { eventStream } from '../src/index.ts'
import { clientView } from '../../sse/test/client.ts'
import { RUN, said, world } from './agent.ts'
import { patiently, turns } from './clock.ts'

const thread = { messages: [], standing: { openCalls: [] } }

async function all(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const given: AgentEvent[] = []
  for await (const event of events) given.push(event)
  return given
}

test('what becomes true is stored before anybody hears of it', async () => {
  const { agent } = world('parallel-tools')
  const log: string[] = []
  const store = async (commit: Commit): Promise<void> => {
    await new Promise(setImmediate)
    for (const { id } of commit.messages) log.push(`stored ${id}`)
  }
  const { events } = eventStream((output) => agent.run({ ...RUN, thread, messages: [said('Go.')], output }), store)
  for await (const { event } of events) if (event.type === 'assistant_message') log.push(`heard ${event.id}`)
  expect(log.indexOf('stored run-1-assistant-0')).toBeLessThan(log.indexOf('heard run-1-assistant-0'))
  expect(log.at(-1)).toBe('heard run-1-assistant-1')
})

test('a response is the run, for a client of any wire', async () => {
  const { agent } = world('approval')
  const { events } = eventStream(
    (output) => agent.run({ ...RUN, thread, messages: [said('Go.')], output }),
    async () => undefined,
  )
  const { status, waitingFor } = clientView(await respond(sse, events, RUN).text())
  expect({ status, waitingFor }).toEqual({ status: 'waiting', waitingFor: ['call_r'] })
})

test('a reader that leaves does not stop the run', async () => {
  const { agent, clock } = world('parallel-tools')
  const { run, events } = eventStream(
    (output) => agent.run({ ...RUN, thread, messages: [said('Go.')], output }),
    async () => undefined,
  )
  for await (const { event } of events) if (event.type === 'text_delta') break
  expect(await patiently(clock, run.over)).toEqual({ type: 'ended', cause: { type: 'natural_end' } })
})

test('a store that fails is an error of the stream', async () => {
  const { agent } = world('text')
  const { events } = eventStream(
    (output) => agent.run({ ...RUN, thread, messages: [said('Go.')], output }),
    async () => {
      throw new Error('disk full')
    },
  )
  await expect(all(events)).rejects.toThrow('disk full')
})

test('a reader that comes late has everything', async () => {
  const { agent } = world('text')
  const { run, events } = eventStream(
    (output) => agent.run({ ...RUN, thread, messages: [said('Go.')], output }),
    async () => undefined,
  )
  await run.over
  await turns()
  const given = await all(events)
  expect(given[0]?.event.type).toBe('run_started')
  expect(given.at(-1)?.event.type).toBe('run_finished')
})
