import { expect, test } from 'vitest'
import { parseEvent } from '@factwire/core'
import { afterHistory, agentLoop, argumentsRun, mixedRun, textRun, type Workload } from '../src/workload.ts'

const count = ({ events }: Workload, type: string): number => events.filter(({ event }) => event.type === type).length

test('every event of a workload is one', () => {
  for (const { events } of [textRun(50), argumentsRun(50), mixedRun(0.1), agentLoop(300), afterHistory(40)]) {
    expect(events.map((event) => parseEvent(event))).toEqual(events)
  }
})

test('the same workload has the same hash, another one another', () => {
  expect(textRun(100).hash).toBe(textRun(100).hash)
  expect(textRun(100).hash).not.toBe(textRun(101).hash)
})

test('a text run is one answer', () => {
  const run = textRun(200)
  expect(count(run, 'text_delta')).toBe(200)
  expect(count(run, 'assistant_message')).toBe(1)
  expect(run.events.at(-1)?.event.type).toBe('run_finished')
})

test('a run of arguments is one call that the client is to run', () => {
  const run = argumentsRun(200)
  expect(count(run, 'tool_call_delta')).toBe(200)
  expect(count(run, 'tool_call')).toBe(1)
  expect(run.events.at(-1)?.event.type).toBe('awaiting')
})

test('a mixed run has reasoning, text, calls and results of 1 to 20 KB', () => {
  const run = mixedRun()
  expect(count(run, 'reasoning_delta')).toBe(2000)
  expect(count(run, 'text_delta')).toBe(5000)
  expect(count(run, 'tool_call_delta')).toBe(1134)
  expect(count(run, 'tool_call')).toBe(20)
  const results = run.events.flatMap(({ event }) => (event.type === 'tool_result' ? [event.content] : []))
  const sizes = results.flatMap((blocks) => blocks.map((block) => (block.type === 'text' ? block.text.length : 0)))
  expect(sizes).toHaveLength(20)
  expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([1024, 20_480])
})

test('an agent loop has about one result for a hundred events', () => {
  const run = agentLoop(4000)
  expect(count(run, 'tool_result')).toBe(40)
  expect(run.events.length).toBeGreaterThan(3900)
  expect(run.events.length).toBeLessThan(4300)
})

test('a long history has one message for ten of its size, and a short answer', () => {
  const run = afterHistory(4000)
  expect(run.context.history).toHaveLength(400)
  expect(count(run, 'text_delta')).toBe(500)
})
