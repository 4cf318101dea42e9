/** Calls that were given up while they were written, of runs without history: what is left of the message is one message. */
import { expect, test } from 'vitest'
import type { AgUiEvent } from '../src/wire.ts'
import {
  brief,
  call,
  close,
  closeCall,
  decoded,
  endStep,
  finished,
  open,
  openCall,
  result,
  say,
  started,
  step,
  text,
  think,
} from './decoded.ts'

/** What stands for a call that was given up where no snapshot can take it back. */
const givenUp = (callId: string): readonly AgUiEvent[] => [
  closeCall(callId),
  {
    type: 'TOOL_CALL_RESULT',
    messageId: `tool-${callId}-cancelled`,
    toolCallId: callId,
    content: 'lost',
    metadata: { factwire: { is_error: true, cancelled: true } },
  },
]

const briefs = (...events: readonly AgUiEvent[]): readonly string[] =>
  decoded([started, ...events, finished]).messages.map(brief)

test('text that goes on after a call was given up is of the same message', () => {
  expect(briefs(...text('m', 'Let me '), openCall('a', 'm'), ...givenUp('a'), ...text('m', 'look.'))).toEqual([
    'm assistant: "Let me look." a search({})',
    'tool-a-cancelled tool: a failed ["lost"]',
  ])
})

test('a thought keeps the value that comes after a call was given up', () => {
  const { messages } = decoded([
    started,
    ...think('m-reasoning', 'Hm.'),
    openCall('a', 'm'),
    ...givenUp('a'),
    { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'm-reasoning', encryptedValue: 'e' },
    finished,
  ])
  expect(messages[0]?.content[0]).toEqual({ type: 'thinking', text: 'Hm.', encrypted: 'e' })
})

test('a call that is made after another was given up is of the same message, and its result ends it', () => {
  expect(briefs(openCall('a', 'm'), ...givenUp('a'), ...call('b', 'm'), result('b'), ...text('m', 'Again.'))).toEqual([
    'm assistant: a search({}) b search({})',
    'tool-a-cancelled tool: a failed ["lost"]',
    't-b tool: b ["ok"]',
    'm-2 assistant: "Again."',
  ])
})

test('the message ends with its step, or where another begins', () => {
  const first = [step('m'), open('m'), say('m', 'A'), close('m'), openCall('a', 'm'), ...givenUp('a'), endStep('m')]
  expect(briefs(...first, step('n'), ...text('n', 'B'), endStep('n'))).toEqual([
    'm assistant: "A" a search({})',
    'tool-a-cancelled tool: a failed ["lost"]',
    'n assistant: "B"',
  ])
  expect(briefs(...text('m', 'A'), openCall('a', 'm'), ...givenUp('a'), ...text('n', 'B'))).toEqual([
    'm assistant: "A" a search({})',
    'tool-a-cancelled tool: a failed ["lost"]',
    'n assistant: "B"',
  ])
})

test('the state that is told twice while it may go on is told twice', () => {
  const state = (snapshot: number): AgUiEvent => ({ type: 'STATE_SNAPSHOT', snapshot })
  const { facts } = decoded([
    started,
    step('m'),
    openCall('a', 'm'),
    ...givenUp('a'),
    state(1),
    state(2),
    endStep('m'),
    finished,
  ])
  expect(facts.flatMap((fact) => (fact.type === 'state_snapshot' ? [fact.snapshot] : []))).toEqual([1, 2])
})

test('a call that was made and then given up has its result at once', () => {
  const cancelled: AgUiEvent = {
    ...result('a'),
    metadata: { factwire: { is_error: true, cancelled: true } },
  } as AgUiEvent
  expect(briefs(...call('a', 'm'), cancelled, ...text('m', 'Again.'))).toEqual([
    'm assistant: a search({})',
    't-a tool: a failed ["ok"]',
    'm-2 assistant: "Again."',
  ])
})
