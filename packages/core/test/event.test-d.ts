import {
  type AgentEvent,
  type Commit,
  type Delta,
  type DeltaEvent,
  type Fact,
  type FactEvent,
  type fold,
  type Json,
  parseEvent,
  type ToolCallFact,
  type V1Delta,
  type V1Fact,
  type Written,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { expectTypeOf, test } from 'vitest'

interface NovelFact {
  readonly type: 'novel_fact'
}

const tell = {
  course: () => 'course',
  content: () => 'content',
}

test('a match over every fact is exhaustive', () => {
  const exhaustive = (fact: Fact): string =>
    match(fact)
      .with(
        { type: 'run_started' },
        { type: 'awaiting' },
        { type: 'continuation' },
        { type: 'run_finished' },
        { type: 'run_failed' },
        tell.course,
      )
      .with(
        { type: 'assistant_message' },
        { type: 'assistant_thinking' },
        { type: 'tool_call' },
        { type: 'tool_result' },
        { type: 'step_ended' },
        { type: 'inference_completed' },
        { type: 'state_snapshot' },
        { type: 'activity_snapshot' },
        tell.content,
      )
      .exhaustive()
  expectTypeOf(exhaustive).returns.toBeString()
})

test('the same match does not compile once there is another fact', () => {
  const incomplete = (fact: Fact | NovelFact): string =>
    match(fact)
      .with(
        { type: 'run_started' },
        { type: 'awaiting' },
        { type: 'continuation' },
        { type: 'run_finished' },
        { type: 'run_failed' },
        tell.course,
      )
      .with(
        { type: 'assistant_message' },
        { type: 'assistant_thinking' },
        { type: 'tool_call' },
        { type: 'tool_result' },
        { type: 'step_ended' },
        { type: 'inference_completed' },
        { type: 'state_snapshot' },
        { type: 'activity_snapshot' },
        tell.content,
      )
      // @ts-expect-error nobody has said what becomes of a NovelFact
      .exhaustive()
  expectTypeOf(incomplete).parameter(0).toEqualTypeOf<Fact | NovelFact>()
})

test('a pattern cannot name a fact that does not exist', () => {
  const misspelt = (fact: Fact): string =>
    match(fact)
      // @ts-expect-error there is no such fact
      .with({ type: 'run_finish' }, tell.course)
      .otherwise(tell.content)
  expectTypeOf(misspelt).returns.toBeString()
})

test('the first version is a part of the vocabulary', () => {
  expectTypeOf<V1Fact>().toExtend<Fact>()
  expectTypeOf<V1Delta>().toExtend<Delta>()
  expectTypeOf<Exclude<Fact, V1Fact>['type']>().toEqualTypeOf<
    'step_ended' | 'inference_completed' | 'state_snapshot' | 'activity_snapshot'
  >()
  expectTypeOf<Exclude<Delta, V1Delta>['type']>().toEqualTypeOf<
    'step_started' | 'tool_output_delta' | 'state_delta' | 'activity_delta' | 'tool_call_cancelled' | 'stream_reset'
  >()
})

test('no type names both a fact and a delta', () => {
  expectTypeOf<Fact['type'] & Delta['type']>().toBeNever()
  expectTypeOf<Extract<AgentEvent, { tier: 'fact' }>>().toEqualTypeOf<FactEvent>()
  expectTypeOf<Extract<AgentEvent, { tier: 'delta' }>>().toEqualTypeOf<DeltaEvent>()
})

test('a tier holds only what belongs to it', () => {
  // @ts-expect-error a delta is no fact
  expectTypeOf({ tier: 'fact', event: { type: 'text_delta', delta: 'a' } } as const).toExtend<AgentEvent>()
})

test('what is absent and what is undefined are kept apart', () => {
  const call = { type: 'tool_call', id: 'c', name: 'f', input: null, disposition: 'executed' } as const
  expectTypeOf(call).toExtend<ToolCallFact>()
  // @ts-expect-error JSON has no undefined
  expectTypeOf({ ...call, message_id: undefined }).toExtend<ToolCallFact>()
})

test('events and commits are read only', () => {
  const event = parseEvent({})
  // @ts-expect-error an event is shared by everybody who sees it
  event.tier = 'fact'
  expectTypeOf<Commit['messages']>().not.toHaveProperty('push')
  expectTypeOf<Written['events']>().toEqualTypeOf<readonly AgentEvent[]>()
})

test('JSON is neither undefined nor a function', () => {
  expectTypeOf<undefined>().not.toExtend<Json>()
  expectTypeOf<() => void>().not.toExtend<Json>()
  expectTypeOf<{ a: [1, { b: null }] }>().toExtend<Json>()
})

test('the fold gives facts and nothing else', () => {
  expectTypeOf<ReturnType<typeof fold>['facts']>().toEqualTypeOf<readonly Fact[]>()
})
