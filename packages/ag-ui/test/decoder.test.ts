import { isCommit } from '@factwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decoder } from '../src/index.ts'
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
import { everyEvent } from './every-event.ts'

const briefs = (events: readonly AgUiEvent[]): readonly string[] => decoded(events).messages.map(brief)

const success = { type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } }
const truncated = { type: 'run_failed', code: 'stream_truncated' }

describe('messages', () => {
  test('the first event gives an empty commit, and the run is known', () => {
    const { commits } = decoded([started])
    expect(commits[0]).toEqual({ messages: [], state: { type: 'running' } })
  })

  test('text comes as numbered fragments, then as a message', () => {
    const { deltas, facts } = decoded([
      started,
      open('m'),
      say('m', 'Hel'),
      say('m', ''),
      say('m', 'lo'),
      close('m'),
      finished,
    ])
    expect(deltas).toEqual([
      { type: 'text_delta', delta: 'Hel', message_id: 'm', offset: 0 },
      { type: 'text_delta', delta: 'lo', message_id: 'm', offset: 3 },
    ])
    expect(facts.map(({ type }) => type)).toEqual(['run_started', 'assistant_message', 'step_ended', 'run_finished'])
    expect(facts[1]).toEqual({ type: 'assistant_message', id: 'm', content: [{ type: 'text', text: 'Hello' }] })
  })

  test('text and the calls that name it are one message, committed before the result', () => {
    const { messages, deltas } = decoded([
      started,
      ...text('m', 'Let me see.'),
      openCall('c', 'm'),
      args('c', '{"q":'),
      args('c', '"x"}'),
      closeCall('c'),
      result('c', 'found'),
      ...text('n', 'There.'),
      finished,
    ])
    expect(messages.map(brief)).toEqual([
      'm assistant: "Let me see." c search({"q":"x"})',
      't-c tool: c ["found"]',
      'n assistant: "There."',
    ])
    expect(deltas.filter(({ type }) => type === 'tool_call_delta')).toEqual([
      { type: 'tool_call_delta', id: 'c', name: 'search', args_delta: '', message_id: 'm', offset: 0 },
      { type: 'tool_call_delta', id: 'c', name: 'search', args_delta: '{"q":', message_id: 'm', offset: 0 },
      { type: 'tool_call_delta', id: 'c', name: 'search', args_delta: '"x"}', message_id: 'm', offset: 5 },
    ])
  })

  test.each<[string, readonly AgUiEvent[], readonly string[]]>([
    [
      'calls beside each other, their arguments alternating',
      [
        openCall('a', 'm'),
        openCall('b', 'm'),
        args('a', '{"x"'),
        args('b', '[1'),
        args('a', ':1}'),
        args('b', ']'),
        closeCall('a'),
        closeCall('b'),
        result('b'),
        result('a'),
      ],
      ['m assistant: a search({"x":1}) b search([1])', 't-b tool: b ["ok"]', 't-a tool: a ["ok"]'],
    ],
    [
      'a result while another call still comes waits for it',
      [
        openCall('a', 'm'),
        openCall('b', 'm'),
        args('a', '1'),
        closeCall('a'),
        result('a'),
        args('b', '2'),
        closeCall('b'),
        result('b'),
      ],
      ['m assistant: a search(1) b search(2)', 't-a tool: a ["ok"]', 't-b tool: b ["ok"]'],
    ],
    [
      'a result before the end of its call',
      [openCall('a', 'm'), args('a', '{}'), result('a'), closeCall('a')],
      ['m assistant: a search({})', 't-a tool: a ["ok"]'],
    ],
    [
      'text left open over a call, and going on after it, is one message as long as no result came',
      [open('m'), say('m', 'A'), ...call('a', 'm'), say('m', 'B'), close('m'), result('a')],
      ['m assistant: "AB" a search({})', 't-a tool: a ["ok"]'],
    ],
    ['text that is opened again goes on', [...text('m', 'A'), ...text('m', 'B')], ['m assistant: "AB"']],
    [
      'text for a message that has results already is another message',
      [...text('m', 'A'), ...call('a', 'm'), result('a'), ...text('m', 'B'), ...text('m', 'C')],
      ['m assistant: "A" a search({})', 't-a tool: a ["ok"]', 'm-2 assistant: "BC"'],
    ],
    [
      'two messages at once keep their order, and their words',
      [open('m'), open('n'), say('n', '1'), say('m', 'A'), say('n', '2'), close('m'), say('n', '3'), close('n')],
      ['m assistant: "A"', 'n assistant: "123"'],
    ],
    ['a message that nobody opened', [say('m', 'A')], ['m assistant: "A"']],
    ['a message without a word', [open('m'), close('m')], []],
    [
      'words of others',
      [{ type: 'TEXT_MESSAGE_START', messageId: 'u', role: 'user' }, say('u', 'Go'), close('u'), ...text('m', 'A')],
      ['u user: "Go"', 'm assistant: "A"'],
    ],
    [
      'calls that name no parent stand with the text before them',
      [...text('m', 'A'), ...call('a'), ...call('b'), result('a'), result('b')],
      ['m assistant: "A" a search({}) b search({})', 't-a tool: a ["ok"]', 't-b tool: b ["ok"]'],
    ],
    [
      'or alone, under the id of the call',
      [...call('a'), result('a'), ...call('b'), result('b')],
      ['a assistant: a search({})', 't-a tool: a ["ok"]', 'b assistant: b search({})', 't-b tool: b ["ok"]'],
    ],
    [
      'a parent that is never a message of text',
      [...call('a', 'p'), result('a')],
      ['p assistant: a search({})', 't-a tool: a ["ok"]'],
    ],
    [
      'no arguments at all are empty ones',
      [openCall('a', 'm'), closeCall('a'), result('a')],
      ['m assistant: a search({})', 't-a tool: a ["ok"]'],
    ],
    [
      'arguments that are no JSON stay readable',
      [...call('a', 'm', '{"x":'), result('a')],
      ['m assistant: a search({"x":)', 't-a tool: a ["ok"]'],
    ],
    ['a result of a call from before the run', [result('old')], ['t-old tool: old ["ok"]']],
    [
      'a result that comes twice counts once',
      [...call('a', 'm'), result('a', 'one'), result('a', 'two')],
      ['m assistant: a search({})', 't-a tool: a ["one"]'],
    ],
    [
      'a result without a message id',
      [...call('a', 'm'), result('a', 'ok', '')],
      ['m assistant: a search({})', 'tool-a tool: a ["ok"]'],
    ],
    [
      'a call that is told again, arguments and all',
      [...call('a', 'm', '{"x":1}'), ...call('a', 'm', '{"x":1}'), result('a'), ...call('a', 'm', '{"x":1}')],
      ['m assistant: a search({"x":1})', 't-a tool: a ["ok"]'],
    ],
    [
      'arguments after their end',
      [...call('a', 'm', '{}'), args('a', '{}'), result('a')],
      ['m assistant: a search({})', 't-a tool: a ["ok"]'],
    ],
    [
      'ids of calls that repeat between messages',
      [...call('a', 'm'), result('a', 'one', 't1'), ...call('a', 'n'), result('a', 'two', 't2')],
      ['m assistant: a search({})', 't1 tool: a ["one"]', 'n assistant: a search({})', 't2 tool: a ["two"]'],
    ],
  ])('%s', (_, events, expected) => {
    expect(briefs([started, ...events, finished])).toEqual(expected)
  })

  test('fragments of a message come only after the message before it', () => {
    const events = [open('m'), open('n'), say('n', '1'), say('m', 'A'), close('m'), say('n', '2'), close('n')]
    expect(order([started, ...events, finished])).toEqual(['commit', 'A', 'commit m', '1', '2', 'commit n'])
  })

  test('subagents beside each other do not mix', () => {
    const of = (subagentRunId: string, event: AgUiEvent): AgUiEvent => ({ ...event, subagentRunId }) as AgUiEvent
    const events = [
      of('s1', openCall('a')),
      of('s2', openCall('b')),
      of('s1', closeCall('a')),
      of('s2', closeCall('b')),
    ]
    expect(briefs([started, ...events, result('a'), result('b'), finished])).toEqual([
      'a assistant: a search({})',
      't-a tool: a ["ok"]',
      'b assistant: b search({})',
      't-b tool: b ["ok"]',
    ])
  })

  test('a result tells what the metadata tells', () => {
    const factwire = { is_error: true, denied: true, data: { a: null } }
    const { messages } = decoded([
      started,
      ...call('a', 'm'),
      { type: 'TOOL_CALL_RESULT', messageId: 't', toolCallId: 'a', content: 'no', metadata: { factwire } },
      finished,
    ])
    expect(messages[1]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'no' }], ...factwire },
    ])
  })
})

/** Commits and fragments as they come. */
function order(events: readonly AgUiEvent[]): string[] {
  const reading = decoder()
  return events
    .flatMap((event) => reading.push(event))
    .map((item) => {
      if (isCommit(item)) return ['commit', ...item.messages.map(({ id }) => id)].join(' ')
      return item.type === 'text_delta' ? item.delta : item.type
    })
}

describe('thoughts', () => {
  test.each<[string, readonly AgUiEvent[], readonly string[]]>([
    [
      'belong to the message that follows',
      [...think('r', 'Hm.'), ...text('m', 'A')],
      ['m assistant: thinking "Hm." "A"'],
    ],
    [
      'or to the call',
      [...think('r', 'Hm.'), ...call('a', 'm'), result('a')],
      ['m assistant: thinking "Hm." a search({})', 't-a tool: a ["ok"]'],
    ],
    [
      'or to the call without a parent',
      [...think('r', 'Hm.'), ...call('a'), result('a')],
      ['a assistant: thinking "Hm." a search({})', 't-a tool: a ["ok"]'],
    ],
    [
      'between text and its call to that message',
      [...text('m', 'A'), ...think('r', 'Hm.'), ...call('a', 'm'), result('a')],
      ['m assistant: thinking "Hm." "A" a search({})', 't-a tool: a ["ok"]'],
    ],
    [
      'between two texts to the second',
      [...text('m', 'A'), ...think('r', 'Hm.'), ...text('n', 'B')],
      ['m assistant: "A"', 'n assistant: thinking "Hm." "B"'],
    ],
    [
      'in parts',
      [...think('r1', 'One. '), ...think('r2', 'Two.'), ...text('m', 'A')],
      ['m assistant: thinking "One. " thinking "Two." "A"'],
    ],
    ['alone', [...think('m-reasoning', 'Hm.')], ['m assistant: thinking "Hm."']],
    [
      'in a span of their own',
      [
        { type: 'REASONING_START', messageId: 'sp' },
        ...think('r', 'Hm.'),
        { type: 'REASONING_END', messageId: 'sp' },
        ...text('m', 'A'),
      ],
      ['m assistant: thinking "Hm." "A"'],
    ],
    [
      'withheld',
      [{ type: 'REASONING_START', messageId: 'sp' }, { type: 'REASONING_END', messageId: 'sp' }, ...text('m', 'A')],
      ['m assistant: thinking "" "A"'],
    ],
  ])('%s', (_, events, expected) => {
    expect(briefs([started, ...events, finished])).toEqual(expected)
  })

  test('are shown as they come, also before their message is known', () => {
    const { deltas } = decoded([started, ...think('r', 'Hm.'), ...text('m', 'A'), finished])
    expect(deltas).toEqual([
      { type: 'reasoning_delta', delta: 'Hm.', offset: 0 },
      { type: 'text_delta', delta: 'A', message_id: 'm', offset: 0 },
    ])
  })

  test('keep what a provider wants back', () => {
    const { messages, ignored } = decoded([
      started,
      {
        type: 'REASONING_MESSAGE_START',
        messageId: 'r',
        role: 'reasoning',
        metadata: { factwire: { signature: 'sig' } },
      },
      { type: 'REASONING_MESSAGE_CONTENT', messageId: 'r', delta: 'Hm.' },
      { type: 'REASONING_MESSAGE_END', messageId: 'r' },
      { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'r', encryptedValue: 'b64' },
      ...text('m', 'A'),
      { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'nobody', encryptedValue: 'b64' },
      finished,
    ])
    expect(messages[0]?.content[0]).toEqual({ type: 'thinking', text: 'Hm.', signature: 'sig', encrypted: 'b64' })
    expect(ignored).toEqual(['REASONING_ENCRYPTED_VALUE: there is nothing that it belongs to'])
  })
})

describe('steps', () => {
  test('complete a message', () => {
    expect(order([started, step('agent'), ...text('m', 'A'), endStep('agent'), step('tools'), finished])).toEqual([
      'commit',
      'A',
      'commit m',
      'commit',
    ])
  })

  test('a call of the client is pending although its step had ended', () => {
    const { facts } = decoded([started, step('agent'), ...call('a', 'm'), endStep('agent'), finished])
    expect(facts[1]).toMatchObject({ type: 'tool_call', disposition: 'pending_client' })
  })

  test('that bear the id of a message are its step', () => {
    const { deltas, facts } = decoded([
      started,
      step('m'),
      ...text('m', 'A'),
      ...call('a', 'm'),
      result('a'),
      { type: 'STATE_SNAPSHOT', snapshot: { n: 1 } },
      endStep('m'),
      finished,
    ])
    expect(deltas[0]).toEqual({ type: 'step_started', message_id: 'm' })
    expect(facts.map(({ type }) => type)).toEqual([
      'run_started',
      'assistant_message',
      'tool_call',
      'tool_result',
      'state_snapshot',
      'step_ended',
      'run_finished',
    ])
  })
})

describe('ends', () => {
  const outcome = (value: Extract<AgUiEvent, { type: 'RUN_FINISHED' }>['outcome']): AgUiEvent => ({
    ...(finished as Extract<AgUiEvent, { type: 'RUN_FINISHED' }>),
    ...(value ? { outcome: value } : {}),
  })

  test.each<[string, readonly AgUiEvent[], unknown]>([
    ['success', [started, ...text('m', 'A'), finished], success],
    ['success that says so', [started, outcome({ type: 'success' })], success],
    [
      'cancelled',
      [started, outcome({ type: 'cancelled' })],
      { type: 'run_finished', exhausted: false, cause: { type: 'cancelled' } },
    ],
    [
      'a cause that the wire has no word for',
      [
        started,
        {
          ...finished,
          metadata: { factwire: { exhausted: true, cause: { type: 'max_steps', code: 'length' } } },
        } as AgUiEvent,
      ],
      { type: 'run_finished', exhausted: true, cause: { type: 'max_steps', code: 'length' } },
    ],
    [
      'steps used up',
      [started, { ...finished, metadata: { factwire: { exhausted: true } } } as AgUiEvent],
      { type: 'run_finished', exhausted: true },
    ],
    ['a result', [started, { ...finished, result: { ok: true } } as AgUiEvent], { ...success, result: { ok: true } }],
    [
      'an error',
      [started, { type: 'RUN_ERROR', message: 'boom', code: 'upstream' }],
      { type: 'run_failed', code: 'upstream', message: 'boom' },
    ],
    [
      'an error without a code',
      [started, { type: 'RUN_ERROR', message: 'boom' }],
      { type: 'run_failed', code: 'error', message: 'boom' },
    ],
    [
      'an error before the start',
      [{ type: 'RUN_ERROR', message: 'boom' }],
      { type: 'run_failed', code: 'error', message: 'boom' },
    ],
    [
      'calls for the client, by name',
      [
        started,
        ...call('a', 'm'),
        ...call('b', 'm'),
        result('b'),
        outcome({ type: 'success', pendingToolCallIds: ['a'] }),
      ],
      { type: 'awaiting', pending_tool_use_id: 'a', pending: [{ tool_use_id: 'a', kind: 'client' }] },
    ],
    [
      'calls for the client, because nothing answered them',
      [started, ...call('a', 'm'), finished],
      { type: 'awaiting', pending_tool_use_id: 'a', pending: [{ tool_use_id: 'a', kind: 'client' }] },
    ],
    [
      'calls that a list of none leaves to be derived',
      [started, ...call('a', 'm'), outcome({ type: 'success', pendingToolCallIds: [] })],
      { type: 'awaiting', pending_tool_use_id: 'a' },
    ],
    [
      'an approval',
      [
        started,
        ...call('a', 'm'),
        outcome({
          type: 'interrupt',
          interrupts: [
            {
              id: 'i',
              reason: 'tool_approval',
              toolCallId: 'a',
              message: 'May I?',
              responseSchema: { type: 'object' },
              expiresAt: '2030-01-01T00:00:00Z',
              metadata: { factwire: { parameters: { q: 1 } } },
            },
          ],
        }),
      ],
      {
        type: 'awaiting',
        pending_tool_use_id: 'a',
        pending: [
          {
            tool_use_id: 'a',
            kind: 'approval',
            approval_id: 'i',
            message: 'May I?',
            parameters: { q: 1 },
            response_schema: { type: 'object' },
            expires_at: '2030-01-01T00:00:00Z',
          },
        ],
      },
    ],
    [
      'an interrupt about no call',
      [started, outcome({ type: 'interrupt', interrupts: [{ id: 'i', reason: 'ask' }] })],
      { type: 'awaiting', pending_tool_use_id: 'i', pending: [{ tool_use_id: 'i', kind: 'approval' }] },
    ],
    [
      'an interrupt beside calls for the client',
      [
        started,
        ...call('a', 'm'),
        ...call('b', 'm'),
        {
          ...outcome({ type: 'interrupt', interrupts: [{ id: 'a', reason: 'x', toolCallId: 'a' }] }),
          metadata: {
            factwire: {
              pending: [
                { tool_use_id: 'a', kind: 'approval' },
                { tool_use_id: 'b', kind: 'client' },
              ],
            },
          },
        } as AgUiEvent,
      ],
      {
        type: 'awaiting',
        pending: [
          { tool_use_id: 'a', kind: 'approval' },
          { tool_use_id: 'b', kind: 'client' },
        ],
      },
    ],
    [
      'waiting for nobody',
      [started, { ...finished, metadata: { factwire: { pending: [] } } } as AgUiEvent],
      { type: 'awaiting', pending_tool_use_id: null, pending: [] },
    ],
    ['nothing at all', [], truncated],
    ['a start alone', [started], truncated],
    ['text and no end', [started, open('m'), say('m', 'Half')], truncated],
    [
      'an end after an error',
      [started, { type: 'RUN_ERROR', message: 'boom' }, finished],
      { type: 'run_failed', code: 'error', message: 'boom' },
    ],
    ['an error after the end', [started, finished, { type: 'RUN_ERROR', message: 'boom' }], success],
    [
      'another run before the end of this one',
      [started, { type: 'RUN_STARTED', threadId: 'th', runId: 'ru-2' }, finished],
      truncated,
    ],
    ['a start that is told twice', [started, started, finished], success],
    ['no start', [...text('m', 'A'), finished], { ...truncated, message: 'the run ended without a RUN_STARTED' }],
    ['nothing but the end', [finished], truncated],
    [
      'waiting without a start',
      [
        openCall('c'),
        args('c', '{}'),
        closeCall('c'),
        outcome({ type: 'interrupt', interrupts: [{ id: 'i', reason: 'ask' }] }),
      ],
      truncated,
    ],
    ['a start that comes late', [...text('m', 'A'), started, finished], success],
  ])('%s', (_, events, end) => {
    expect(decoded(events).end).toMatchObject(end as object)
  })

  test('what came before an error is kept', () => {
    const { messages, end } = decoded([started, open('m'), say('m', 'Half'), { type: 'RUN_ERROR', message: 'boom' }])
    expect(messages.map(brief)).toEqual(['m assistant: "Half"'])
    expect(end?.type).toBe('run_failed')
  })

  test('a failure of the source is the reason', () => {
    const reading = decoder()
    reading.push(started)
    const failure = { code: 'stream_failed', message: 'socket hang up' }
    expect(reading.end(failure).at(-1)?.state).toEqual({ type: 'ended', cause: { type: 'error', failure } })
    expect(reading.end(failure)).toEqual([])
  })

  test('the run is known by its ids and its model', () => {
    const reading = decoder()
    expect(reading.run()).toEqual({})
    reading.push({ type: 'RUN_STARTED', threadId: 'th', runId: 'ru', parentRunId: 'pa' })
    reading.push({ type: 'RUN_FINISHED', threadId: 'th', runId: 'ru', usage: [{ model: 'm-large' }] })
    expect(reading.run()).toEqual({ threadId: 'th', runId: 'ru', parentRunId: 'pa', model: 'm-large' })
  })

  test('calls that are open when the run fails get a result that says so', () => {
    const { messages } = decoded([
      started,
      ...call('a', 'm'),
      result('a'),
      ...call('b', 'n'),
      openCall('c', 'n'),
      args('c', '{"x'),
      { type: 'RUN_ERROR', message: 'boom' },
    ])
    expect(messages.map(brief).slice(2)).toEqual([
      'n assistant: b search({}) c search({"x)',
      'tool-b tool: b failed ["No result: the run failed (boom)."]',
      'tool-c tool: c failed ["No result: the run failed (boom)."]',
    ])
  })

  test('a call whose arguments broke off is not made when the run ends well', () => {
    const { deltas, end } = decoded([started, ...text('m', 'A'), openCall('a', 'm'), args('a', '{"x'), finished])
    expect(deltas.at(-1)).toMatchObject({ type: 'tool_call_cancelled', id: 'a' })
    expect(end).toMatchObject(success)
  })

  test('usage is told for each model', () => {
    const usage = [
      {
        model: 'm-large',
        inputTokens: 8,
        outputTokens: 2,
        totalTokens: 10,
        cachedInputTokens: 4,
        cacheWriteInputTokens: 1,
        reasoningTokens: 1,
      },
      { provider: 'x', model: 'm-small', inputTokens: 1 },
    ]
    const { facts } = decoded([started, ...text('m', 'A'), { ...finished, usage } as AgUiEvent])
    expect(facts.filter(({ type }) => type === 'inference_completed')).toEqual([
      {
        type: 'inference_completed',
        model: 'm-large',
        usage: {
          prompt_tokens: 8,
          completion_tokens: 2,
          total_tokens: 10,
          cache_read_tokens: 4,
          cache_creation_tokens: 1,
          thinking_tokens: 1,
        },
        duration_ms: 0,
      },
      { type: 'inference_completed', model: 'm-small', usage: { prompt_tokens: 1 }, duration_ms: 0 },
    ])
  })

  test('is silent after the end, and tells that it was', () => {
    const { ignored, messages } = decoded([started, finished, ...text('m', 'late'), finished])
    expect(messages).toEqual([])
    expect(ignored).toHaveLength(4)
  })

  test('reads the next run if asked', () => {
    const again: AgUiEvent = { type: 'RUN_STARTED', threadId: 'th', runId: 'ru-2' }
    const events = [
      started,
      ...text('m', 'A'),
      { type: 'RUN_ERROR', message: 'boom' } as const,
      again,
      ...text('m', 'B'),
      finished,
    ]
    expect(decoded(events).messages.map(brief)).toEqual(['m assistant: "A"'])
    const { messages, facts } = decoded(events, { runs: 'many' })
    expect(messages.map(brief)).toEqual(['m assistant: "A"', 'm assistant: "B"'])
    expect(facts.filter(({ type }) => type.startsWith('run_')).map(({ type }) => type)).toEqual([
      'run_started',
      'run_failed',
      'run_started',
      'run_finished',
    ])
  })

  test('a run goes on after it waited, with what the client answered', () => {
    const again: AgUiEvent = {
      type: 'RUN_STARTED',
      threadId: 'th',
      runId: 'ru-2',
      input: {
        threadId: 'th',
        runId: 'ru-2',
        messages: [{ id: 'answer', role: 'tool', toolCallId: 'a', content: '42' }],
      },
    }
    const { messages, facts } = decoded([started, ...call('a', 'm'), finished, again, ...text('n', 'B'), finished])
    expect(messages.map(brief)).toEqual(['m assistant: a search({})', 'answer tool: a ["42"]', 'n assistant: "B"'])
    expect(facts.map(({ type }) => type)).toEqual([
      'run_started',
      'tool_call',
      'awaiting',
      'run_started',
      'tool_result',
      'step_ended',
      'assistant_message',
      'step_ended',
      'run_finished',
    ])
  })

  test('a call that was approved gets its result in the next run', () => {
    const interrupt = outcome({ type: 'interrupt', interrupts: [{ id: 'i', reason: 'x', toolCallId: 'a' }] })
    const again: AgUiEvent = { type: 'RUN_STARTED', threadId: 'th', runId: 'ru-2' }
    const { end, messages } = decoded([started, ...call('a', 'm'), interrupt, again, result('a'), finished])
    expect(messages.map(brief)).toEqual(['m assistant: a search({})', 't-a tool: a ["ok"]'])
    expect(end).toMatchObject(success)
  })

  test('tools that the client brought are its own from the first fragment', () => {
    const { deltas, facts } = decoded([started, ...call('a', 'm'), ...text('n', 'B'), finished], {
      clientTools: ['search'],
    })
    expect(deltas[0]).toMatchObject({ type: 'tool_call_delta', disposition: 'pending_client' })
    expect(facts[1]).toMatchObject({ type: 'tool_call', disposition: 'pending_client' })
  })
})

describe('state and activities', () => {
  test('patches are numbered, and what they make is committed with the end', () => {
    const { deltas, facts } = decoded([
      started,
      { type: 'STATE_SNAPSHOT', snapshot: { todos: [] } },
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/todos/-', value: 'milk' }] },
      { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/nothing', value: 1 }] },
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/todos/-', value: 'eggs' }] },
      finished,
    ])
    expect(deltas.map((delta) => 'revision' in delta && delta.revision)).toEqual([0, 1])
    expect(facts.filter(({ type }) => type === 'state_snapshot')).toEqual([
      { type: 'state_snapshot', snapshot: { todos: [] } },
      { type: 'state_snapshot', snapshot: { todos: ['milk', 'eggs'] } },
    ])
  })

  test('patches on a state that nobody told are passed on and no more', () => {
    const { deltas, facts } = decoded([
      started,
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/a', value: 1 }] },
      finished,
    ])
    expect(deltas).toHaveLength(1)
    expect(facts.map(({ type }) => type)).toEqual(['run_started', 'run_finished'])
  })

  test('activities are committed, patched and committed', () => {
    const snapshot: AgUiEvent = {
      type: 'ACTIVITY_SNAPSHOT',
      messageId: 'p',
      activityType: 'PLAN',
      content: { steps: [] },
    }
    const { deltas, facts, ignored } = decoded([
      started,
      snapshot,
      { ...snapshot, content: {}, replace: false },
      {
        type: 'ACTIVITY_DELTA',
        messageId: 'p',
        activityType: 'PLAN',
        patch: [{ op: 'add', path: '/steps/-', value: 1 }],
      },
      { type: 'ACTIVITY_DELTA', messageId: 'q', activityType: 'PLAN', patch: [] },
      endStep('x'),
      finished,
    ])
    expect(deltas).toEqual([
      {
        type: 'activity_delta',
        message_id: 'p',
        activity_type: 'PLAN',
        patch: [{ op: 'add', path: '/steps/-', value: 1 }],
        revision: 0,
      },
    ])
    expect(facts.filter(({ type }) => type === 'activity_snapshot')).toEqual([
      { type: 'activity_snapshot', message_id: 'p', activity_type: 'PLAN', content: { steps: [] } },
      { type: 'activity_snapshot', message_id: 'p', activity_type: 'PLAN', content: {}, replace: false },
      { type: 'activity_snapshot', message_id: 'p', activity_type: 'PLAN', content: { steps: [1] } },
    ])
    expect(ignored).toHaveLength(1)
  })

  test('what a tool prints is its output, and no activity', () => {
    const { deltas, facts } = decoded([
      started,
      ...call('a', 'm'),
      {
        type: 'ACTIVITY_SNAPSHOT',
        messageId: 'a-output',
        activityType: 'tool-output',
        content: { toolCallId: 'a', chunks: ['1'] },
      },
      {
        type: 'ACTIVITY_DELTA',
        messageId: 'a-output',
        activityType: 'tool-output',
        patch: [{ op: 'add', path: '/chunks/-', value: '2' }],
      },
      result('a'),
      finished,
    ])
    expect(deltas.filter(({ type }) => type === 'tool_output_delta')).toEqual([
      { type: 'tool_output_delta', id: 'a', name: 'search', delta: '1' },
      { type: 'tool_output_delta', id: 'a', name: 'search', delta: '2' },
    ])
    expect(facts.map(({ type }) => type)).not.toContain('activity_snapshot')
  })

  test.each<AgUiEvent>([
    { type: 'CUSTOM', name: 'x', value: 1 },
    { type: 'RAW', event: null },
    { type: 'SUBAGENT_STARTED', subagentRunId: 's', name: 'helper' },
  ])('$type has no meaning here, and says so', (event) => {
    const { ignored, end } = decoded([started, event, finished])
    expect(ignored).toEqual([`${event.type}: it has no meaning here`])
    expect(end).toMatchObject(success)
  })
})

const anyId = fc.constantFrom('m', 'n', 'c', 'd')
const anyOwner = fc.constantFrom<{ readonly subagentRunId?: string }>({}, {}, { subagentRunId: 's' })
const anyMessages = fc.array(
  fc.oneof<fc.Arbitrary<AgUiMessage>[]>(
    fc.record({ id: anyId, role: fc.constant('assistant'), content: fc.constantFrom('', 'A', 'AB') }),
    fc.record({ id: anyId, role: fc.constant('reasoning'), content: fc.constantFrom('', 'A') }),
    fc.record({ id: anyId, role: fc.constant('tool'), toolCallId: anyId, content: fc.constant('ok') }),
    anyId.map((id) => ({
      id,
      role: 'assistant',
      toolCalls: [{ id: 'c', type: 'function', function: { name: 'search', arguments: '{}' } }],
    })),
  ),
  { maxLength: 4 },
)

const anyEvent: fc.Arbitrary<AgUiEvent> = fc.oneof<fc.Arbitrary<AgUiEvent>[]>(
  fc.constantFrom(...everyEvent),
  fc.tuple(anyId, anyOwner).map(([messageId, owner]) => ({ ...open(messageId), ...owner }) as AgUiEvent),
  fc.tuple(anyId, fc.constantFrom('A', 'B', '')).map(([id, delta]) => say(id, delta)),
  anyId.map(close),
  fc.tuple(anyId, fc.option(anyId, { nil: undefined })).map(([id, parent]) => openCall(id, parent)),
  fc.tuple(anyId, fc.constantFrom('{', '}', '{}')).map(([id, delta]) => args(id, delta)),
  anyId.map(closeCall),
  anyId.map((id) => result(id)),
  anyId.map((id) => ({ ...result(id), metadata: { factwire: { cancelled: true, is_error: true } } }) as AgUiEvent),
  fc.tuple(anyId, fc.nat({ max: 2 })).map(([id, part]) => think(id, 'Hm.')[part] ?? close(id)),
  fc.tuple(anyId, fc.boolean()).map(([id, start]) => (start ? step(id) : endStep(id))),
  anyMessages.map((messages) => ({ type: 'MESSAGES_SNAPSHOT', messages })),
)

test('takes any events in any order, and ends once', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), fc.boolean(), (events, ends) => {
      const stream = ends ? [...events, finished] : events
      const { commits, facts } = decoded(stream)
      const terminal = facts.filter(({ type }) => type === 'run_finished' || type === 'run_failed')
      const over = stream.findIndex(({ type }) => type === 'RUN_FINISHED' || type === 'RUN_ERROR')
      expect(terminal.length).toBeLessThanOrEqual(1)
      expect(commits.at(-1)?.state.type).not.toBe('running')
      // Without an end it never looks like success.
      expect(over >= 0 || facts.at(-1)?.type === 'run_failed').toBe(true)
    }),
    { seed: 1, numRuns: 2000 },
  )
})

test('no call that was made is left without a result when a run has ended', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const { facts } = decoded(events.filter(({ type }) => type !== 'RUN_STARTED' && type !== 'RUN_FINISHED'))
      const open = new Map<string, number>()
      for (const fact of facts) {
        if (fact.type === 'tool_call') open.set(fact.id, (open.get(fact.id) ?? 0) + 1)
        if (fact.type === 'tool_result') open.set(fact.id, Math.max(0, (open.get(fact.id) ?? 0) - 1))
      }
      expect([...open.values()].filter((count) => count > 0)).toEqual([])
    }),
    { seed: 1, numRuns: 1000 },
  )
})
