import { expect, test } from 'vitest'
import type { AgUiEvent } from '../src/wire.ts'
import type { AgUiMessage } from '../src/wire-message.ts'
import {
  args,
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

const snapshot = (...messages: readonly AgUiMessage[]): AgUiEvent => ({ type: 'MESSAGES_SNAPSHOT', messages })
const user = (id: string): AgUiMessage => ({ id, role: 'user', content: 'Go.' })
const says = (id: string, content: string): AgUiMessage => ({ id, role: 'assistant', content })
const calls = (id: string, callId: string, input = '{}'): AgUiMessage => ({
  id,
  role: 'assistant',
  toolCalls: [{ id: callId, type: 'function', function: { name: 'search', arguments: input } }],
})
const answers = (callId: string): AgUiMessage => ({
  id: `t-${callId}`,
  role: 'tool',
  toolCallId: callId,
  content: 'ok',
})
const givenUp = (callId: string): AgUiEvent => ({
  type: 'TOOL_CALL_RESULT',
  messageId: `tool-${callId}-cancelled`,
  toolCallId: callId,
  content: 'lost',
  metadata: { factwire: { is_error: true, cancelled: true } },
})

test.each<[string, readonly AgUiEvent[], readonly string[], readonly string[]]>([
  [
    'the thread before the run says nothing of the run',
    [snapshot(user('u'), says('h', 'Hi.')), ...text('m', 'A')],
    ['m assistant: "A"'],
    [],
  ],
  ['what it says already', [...text('m', 'A'), snapshot(user('u'), says('m', 'A'))], ['m assistant: "A"'], []],
  ['the rest of a text', [...text('m', 'Hel'), snapshot(user('u'), says('m', 'Hello'))], ['m assistant: "Hello"'], []],
  [
    'other words',
    [...text('m', 'Jello'), snapshot(user('u'), says('m', 'Hello'))],
    ['m assistant: "Hello"'],
    ['stream_reset'],
  ],
  [
    'in the middle of a text',
    [open('m'), say('m', 'Hel'), snapshot(says('m', 'Hel')), say('m', 'lo'), close('m')],
    ['m assistant: "Hello"'],
    [],
  ],
  [
    'in the middle of a text that it does not have',
    [open('m'), say('m', 'Hel'), snapshot(user('u')), say('m', 'lo'), close('m')],
    ['m assistant: "Hello"'],
    [],
  ],
  [
    'a message that is taken back',
    [...text('m', 'A'), snapshot(user('u')), ...text('n', 'B')],
    ['n assistant: "B"'],
    ['stream_reset'],
  ],
  ['taken back at the end', [...text('m', 'A'), snapshot(user('u'))], [], ['stream_reset']],
  [
    'taken back with its step',
    [step('m'), ...text('m', 'A'), endStep('m'), snapshot(user('u')), step('n'), ...text('n', 'B')],
    ['n assistant: "B"'],
    ['stream_reset'],
  ],
  [
    'moved: first without it, then with it',
    [...text('m', 'A'), snapshot(user('u')), snapshot(user('u'), says('m', 'A'))],
    ['m assistant: "A"'],
    [],
  ],
  [
    'moved and other words',
    [...text('m', 'X'), snapshot(user('u')), snapshot(user('u'), says('m', 'A'))],
    ['m assistant: "A"'],
    ['stream_reset'],
  ],
  [
    'a message that was in no event, after a snapshot without it',
    [...think('m-reasoning', 'Hm.'), snapshot(user('u')), snapshot(user('u'), says('x', 'A'))],
    ['m assistant: thinking "Hm."', 'x assistant: "A"'],
    [],
  ],
  [
    'a call that was given up',
    [...text('m', 'A'), ...call('a', 'm'), givenUp('a'), snapshot(says('m', 'A'))],
    ['m assistant: "A"'],
    ['tool_call_cancelled'],
  ],
  [
    'one of two calls given up',
    [...call('a', 'm'), ...call('b', 'm'), givenUp('a'), snapshot(calls('m', 'b')), result('b')],
    ['m assistant: b search({})', 't-b tool: b ["ok"]'],
    ['tool_call_cancelled'],
  ],
  [
    'a call given up that no snapshot takes back',
    [...call('a', 'm'), givenUp('a'), ...text('n', 'B')],
    ['m assistant: a search({})', 'tool-a-cancelled tool: a failed ["lost"]', 'n assistant: "B"'],
    [],
  ],
  [
    'a call given up, and no more',
    [...call('a', 'm'), givenUp('a')],
    ['m assistant: a search({})', 'tool-a-cancelled tool: a failed ["lost"]'],
    [],
  ],
  [
    'all of an attempt given up',
    [
      ...think('m-reasoning', 'Hm.'),
      open('m'),
      say('m', 'A'),
      ...call('a', 'm'),
      close('m'),
      givenUp('a'),
      snapshot(user('u'), { id: 'm-reasoning', role: 'reasoning', content: '' }),
      ...text('n', 'B'),
    ],
    ['n assistant: "B"'],
    ['stream_reset'],
  ],
  [
    'other arguments',
    [...call('a', 'm', '{"x":1}'), snapshot(calls('m', 'a', '{"x":2}')), result('a')],
    ['m assistant: a search({"x":2})', 't-a tool: a ["ok"]'],
    ['stream_reset'],
  ],
  [
    'arguments that go on after it',
    [
      openCall('a', 'm'),
      args('a', '{"x"'),
      snapshot(calls('m', 'a', '{"x"')),
      args('a', ':1}'),
      closeCall('a'),
      result('a'),
    ],
    ['m assistant: a search({"x":1})', 't-a tool: a ["ok"]'],
    [],
  ],
  [
    'a call that was in no event',
    [...text('m', 'A'), snapshot({ ...says('m', 'A'), ...calls('m', 'a') } as AgUiMessage), result('a')],
    ['m assistant: "A" a search({})', 't-a tool: a ["ok"]'],
    [],
  ],
  [
    'a result that was in no event',
    [...call('a', 'm'), snapshot(calls('m', 'a'), answers('a')), ...text('n', 'B')],
    ['m assistant: a search({})', 't-a tool: a ["ok"]', 'n assistant: "B"'],
    [],
  ],
  [
    'a message that was in no event',
    [
      ...call('a', 'm'),
      result('a'),
      snapshot(user('u'), says('h', 'Hi.'), calls('m', 'a'), answers('a'), says('n', 'B')),
    ],
    ['m assistant: a search({})', 't-a tool: a ["ok"]', 'n assistant: "B"'],
    [],
  ],
  [
    'another id for what was said',
    [...text('m', 'A'), snapshot(user('u'), says('stored', 'A'))],
    ['stored assistant: "A"'],
    ['stream_reset'],
  ],
  [
    'another id for what was called',
    [...call('a', 'm'), snapshot(user('u'), calls('stored', 'a')), result('a')],
    ['stored assistant: a search({})', 't-a tool: a ["ok"]'],
    ['stream_reset'],
  ],
  [
    'an id that changed after the message was committed',
    [...call('a', 'm'), result('a'), snapshot(calls('stored', 'a'), answers('a'))],
    ['m assistant: a search({})', 't-a tool: a ["ok"]'],
    [],
  ],
  [
    'a thread of which nobody knows how it was before',
    [step('x'), snapshot(user('u'), says('h', 'Hi.')), endStep('x')],
    [],
    [],
  ],
])('%s', (_, events, expected, repairs) => {
  const { messages, deltas } = decoded([started, ...events, finished])
  expect(messages.map(brief)).toEqual(expected)
  expect(
    deltas.map(({ type }) => type).filter((type) => type === 'stream_reset' || type === 'tool_call_cancelled'),
  ).toEqual(repairs)
})

test('a run that only sends snapshots is read if one knows what was before', () => {
  const events = [started, step('x'), snapshot(user('u'), says('n', 'B')), endStep('x'), finished]
  expect(decoded(events, { known: ['u'] }).messages.map(brief)).toEqual(['n assistant: "B"'])
  const echo: AgUiEvent = { ...started, input: { threadId: 'th', runId: 'ru', messages: [user('u')] } } as AgUiEvent
  expect(decoded([echo, ...events.slice(1)]).messages.map(brief)).toEqual(['n assistant: "B"'])
})

test('after a reset fragments name no message: they are another item', () => {
  const { deltas } = decoded([
    started,
    open('m'),
    say('m', 'X'),
    snapshot(says('m', 'A')),
    say('m', 'B'),
    close('m'),
    finished,
  ])
  expect(deltas).toEqual([
    { type: 'text_delta', delta: 'X', message_id: 'm', offset: 0 },
    { type: 'stream_reset', reason: 'the snapshot says something else' },
    { type: 'text_delta', delta: 'A', offset: 0 },
    { type: 'text_delta', delta: 'B', offset: 1 },
  ])
})
