import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Breach, checkGrammar, type Rule } from '@factwire/core'
import { expect, test } from 'vitest'
import { grammar } from '../src/index.ts'
import { type RuleId, rules } from '../src/rules.ts'
import type { AgUiMessage } from '../src/wire-message.ts'
import type { AgUiEvent, RunFinishedEvent } from '../src/wire.ts'
import { clientView } from './client.ts'
import {
  args,
  call,
  close,
  closeCall,
  endStep,
  finished,
  open,
  openCall,
  result,
  say,
  started,
  step,
  text,
} from './decoded.ts'

const failed: AgUiEvent = { type: 'RUN_ERROR', message: 'Lost.' }
const finishedWith = (more: Pick<RunFinishedEvent, 'outcome' | 'metadata'>): AgUiEvent => ({
  type: 'RUN_FINISHED',
  threadId: 'th',
  runId: 'ru',
  ...more,
})
const waits: AgUiEvent = finishedWith({ outcome: { type: 'success', pendingToolCallIds: ['a'] } })
const span = (end: 'START' | 'END'): AgUiEvent => ({ type: `REASONING_${end}`, messageId: 'r' })
const thought: AgUiEvent = { type: 'REASONING_MESSAGE_START', messageId: 'r', role: 'reasoning' }
const thinks: AgUiEvent = { type: 'REASONING_MESSAGE_CONTENT', messageId: 'r', delta: 'Hm.' }
const thoughtOver: AgUiEvent = { type: 'REASONING_MESSAGE_END', messageId: 'r' }
const chunk = (messageId?: string): AgUiEvent => ({
  type: 'TEXT_MESSAGE_CHUNK',
  delta: 'A',
  ...(messageId === undefined ? {} : { messageId }),
})
const callChunk = (toolCallId: string, toolCallName?: string): AgUiEvent => ({
  type: 'TOOL_CALL_CHUNK',
  toolCallId,
  delta: '{}',
  ...(toolCallName === undefined ? {} : { toolCallName }),
})
const subagent = (subagentRunId: string, parentSubagentRunId?: string): AgUiEvent => ({
  type: 'SUBAGENT_STARTED',
  subagentRunId,
  name: 'helper',
  ...(parentSubagentRunId === undefined ? {} : { parentSubagentRunId }),
})
const subagentOver = (subagentRunId: string): AgUiEvent => ({ type: 'SUBAGENT_FINISHED', subagentRunId })
const snapshot = (...messages: readonly AgUiMessage[]): AgUiEvent => ({ type: 'MESSAGES_SNAPSHOT', messages })
const activity = (messageId: string): AgUiEvent => ({
  type: 'ACTIVITY_SNAPSHOT',
  messageId,
  activityType: 'PLAN',
  content: {},
})
const patch = (messageId: string): AgUiEvent => ({ type: 'ACTIVITY_DELTA', messageId, activityType: 'PLAN', patch: [] })
const sealed: AgUiEvent = {
  type: 'REASONING_ENCRYPTED_VALUE',
  subtype: 'message',
  entityId: 'r',
  encryptedValue: 'e',
}
const says = (id: string): AgUiMessage => ({ id, role: 'assistant', content: 'A' })
const user: AgUiEvent = { type: 'TEXT_MESSAGE_START', messageId: 'u', role: 'user' }

/** The same events as those of a subagent. */
const of = (subagentRunId: string, ...events: readonly AgUiEvent[]): readonly AgUiEvent[] =>
  events.map((event) => ({ ...event, subagentRunId }) as AgUiEvent)

type Made = 'rejected' | 'warned' | 'taken'

interface Example {
  readonly legal: readonly AgUiEvent[]
  readonly broken: readonly AgUiEvent[]
}

/** Between a start and an end. */
const within = (...events: readonly AgUiEvent[]): readonly AgUiEvent[] => [started, ...events, finished]

const examples: Readonly<Record<RuleId, Example>> = {
  'start-of-run': { legal: within(step('s'), endStep('s')), broken: [step('s'), started, endStep('s'), finished] },
  'error-after-start': { legal: [started, failed], broken: [failed] },
  'one-run-at-a-time': { legal: within(), broken: [started, started, finished] },
  'one-run-a-stream': { legal: within(), broken: [...within(), ...within()] },
  'nothing-after-finish': { legal: within(...text('m', 'A')), broken: [...within(), ...text('m', 'A')] },
  'no-error-after-finish': { legal: [started, failed], broken: [...within(), failed] },
  'nothing-after-error': { legal: [started, failed], broken: [started, failed, failed] },
  'end-of-run': { legal: within(), broken: [started, ...text('m', 'A')] },

  'start-once': {
    legal: within(...text('m', 'A'), ...text('m', 'B')),
    broken: within(open('m'), open('m'), close('m')),
  },
  'start-first': { legal: within(open('m'), say('m', 'A'), close('m')), broken: within(say('m', 'A')) },
  'finish-closes': { legal: within(step('s'), endStep('s')), broken: within(step('s')) },
  'reasoning-start-once': {
    legal: within(span('START'), thought, thinks, thoughtOver, span('END')),
    broken: within(thought, thought, thoughtOver),
  },
  'reasoning-start-first': { legal: within(thought, thinks, thoughtOver), broken: within(thinks) },
  'finish-closes-reasoning': { legal: within(span('START'), span('END')), broken: within(span('START')) },
  'subagent-once': {
    legal: within(subagent('s'), subagentOver('s')),
    broken: within(subagent('s'), subagentOver('s'), subagent('s'), subagentOver('s')),
  },
  'subagent-parent': {
    legal: within(subagent('s'), subagentOver('s'), subagent('t', 's'), {
      ...subagentOver('s'),
      subagentRunId: 't',
    } as AgUiEvent),
    broken: within(subagent('s', 't'), subagentOver('s')),
  },
  'chunk-names-its-item': {
    legal: within(chunk('m'), chunk(), chunk()),
    broken: within(chunk('m'), step('s'), endStep('s'), chunk()),
  },
  'chunk-repeats-itself': {
    legal: within(callChunk('a', 'x'), callChunk('a', 'x'), callChunk('a'), result('a'), chunk('m'), chunk('m')),
    broken: within(chunk('m'), { ...chunk('m'), role: 'user' } as AgUiEvent),
  },
  'one-owner': {
    legal: within(...of('s', open('m'), say('m', 'A')), say('m', 'B'), close('m'), ...of('s', ...text('m', 'C'))),
    broken: within(open('m'), ...of('s', say('m', 'A')), close('m')),
  },
  'call-of-its-parent': {
    legal: within(...of('s', ...text('m', 'A'), ...call('a', 'm'), result('a'))),
    broken: within(...text('m', 'A'), ...of('s', ...call('a', 'm'), result('a'))),
  },

  'result-after-end': {
    legal: within(...call('a', 'm'), result('a')),
    broken: within(openCall('a', 'm'), result('a'), closeCall('a')),
  },
  'one-result': {
    legal: within(...call('a', 'm'), result('a')),
    broken: within(...call('a', 'm'), result('a'), result('a', 'ok', 'again')),
  },
  'end-answers-calls': { legal: [started, ...call('a', 'm'), waits], broken: within(...call('a', 'm')) },

  'one-kind-an-id': { legal: within(...text('m', 'A')), broken: within(thought, thoughtOver, ...text('r', 'A')) },
  'fresh-result-id': {
    legal: within(...call('a', 'm'), result('a')),
    broken: within(...call('a', 'm'), result('a', 'ok', 'm')),
  },
  'activity-keeps-its-id': {
    legal: within(activity('p'), patch('p')),
    broken: within(activity('p'), ...text('p', 'A')),
  },
  'call-keeps-its-name': {
    legal: within(...call('a', 'm'), ...call('a', 'm'), result('a')),
    broken: within(...call('a', 'm'), openCall('a', 'm', 'other'), closeCall('a'), result('a')),
  },
  'parent-is-assistant': {
    legal: within(...text('m', 'A'), ...call('a', 'm'), result('a')),
    broken: within(user, close('u'), ...call('a', 'u'), result('a')),
  },
  'patch-of-activity': { legal: within(activity('p'), patch('p')), broken: within(...text('m', 'A'), patch('m')) },
  'value-after-its-item': { legal: within(thought, thoughtOver, sealed), broken: within(sealed, thought, thoughtOver) },
  'snapshot-keeps-open': {
    legal: within(open('m'), say('m', 'A'), snapshot(says('m')), say('m', 'B'), close('m')),
    broken: within(open('m'), say('m', 'A'), snapshot(), say('m', 'B'), close('m')),
  },
}

function breachesOf(events: readonly AgUiEvent[]): readonly Breach[] {
  const check = checkGrammar(grammar)
  return [...events.flatMap((event) => check.push(event)), ...check.end()]
}

async function madeOf(events: readonly AgUiEvent[]): Promise<Made> {
  const { rejected, warnings } = await clientView(events)
  return rejected === undefined ? (warnings.length > 0 ? 'warned' : 'taken') : 'rejected'
}

for (const [id, { says: sentence, force }] of Object.entries<Rule>(rules)) {
  const { legal, broken } = examples[id as RuleId]

  test(`${id}: ${sentence} What keeps it, the client takes; what breaks it is ${force}`, async () => {
    expect(breachesOf(legal)).toEqual([])
    expect(await madeOf(legal)).toBe('taken')
    const breaches = breachesOf(broken)
    expect(breaches.map(({ rule }) => rule)).toContain(id)
    expect(new Set(breaches.map((breach) => breach.force))).toEqual(new Set([force]))
    expect(await madeOf(broken)).toBe(force === 'demanded' ? 'taken' : force)
  })
}

test.each<[string, readonly AgUiEvent[], string | undefined]>([
  ['a start', [started], undefined],
  ['a finish', within(), 'finished'],
  ['a failure', [started, failed], 'failed'],
  ['calls that wait for the client', [started, ...call('a', 'm'), waits], 'waiting'],
  [
    'an interrupt',
    [started, finishedWith({ outcome: { type: 'interrupt', interrupts: [{ id: 'i', reason: 'ask' }] } })],
    'waiting',
  ],
  ['a wait for nobody', [started, finishedWith({ metadata: { factwire: { pending: [] } } })], 'waiting'],
])('a stream that stops after %s is taken as that', (_, events, end) => {
  const check = checkGrammar(grammar)
  for (const event of events) check.push(event)
  expect(check.ended()).toBe(end)
})

test('a client may come back where nothing is open and the run goes on', () => {
  const check = checkGrammar(grammar)
  const rests = [started, open('m'), say('m', 'A'), close('m'), ...call('a', 'm'), result('a'), finished].map(
    (event) => {
      check.push(event)
      return check.atRest()
    },
  )
  expect(rests).toEqual([true, false, false, true, false, false, true, true, false])
})

test.each<[string, readonly AgUiEvent[], Made]>([
  [
    'chunks of two calls that alternate with their names',
    [callChunk('a', 'x'), callChunk('b', 'y'), callChunk('a', 'x')],
    'taken',
  ],
  [
    'chunks of two calls that alternate without',
    [callChunk('a', 'x'), callChunk('b', 'y'), callChunk('a')],
    'rejected',
  ],
  ['chunks of a message that is open', [open('m'), chunk('m')], 'rejected'],
  ['content of a message that came as a chunk', [chunk('m'), say('m', 'A')], 'rejected'],
  ['a start of a message that came as a chunk', [chunk('m'), open('m'), close('m')], 'taken'],
  ['a chunk that goes on after a text of another kind', [chunk('m'), callChunk('a', 'x'), chunk()], 'rejected'],
  [
    'arguments of a call that a snapshot does not hold',
    [openCall('a', 'm'), snapshot(), args('a', '{}'), closeCall('a')],
    'warned',
  ],
  ['a thought that a snapshot without thoughts does not hold', [thought, snapshot(), thinks, thoughtOver], 'taken'],
  ['an activity in place of a message that is open', [open('m'), activity('m'), say('m', 'A'), close('m')], 'warned'],
  [
    'a call without a parent',
    [{ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'x' }, closeCall('a'), result('a')],
    'taken',
  ],
])('of %s the grammar says what the client does', async (_, events, made) => {
  const forces = breachesOf(within(...events)).map(({ force }) => force)
  const foretold = forces.includes('rejected') ? 'rejected' : forces.includes('warned') ? 'warned' : 'taken'
  expect([foretold, await madeOf(within(...events))]).toEqual([made, made])
})

/** The source of the client, by file, as it is published. */
function clientSource(): { readonly version: string; readonly files: ReadonlyMap<string, string> } {
  const main = createRequire(import.meta.url).resolve('@ag-ui/client')
  const folder = dirname(main)
  const { version } = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8')) as { version: string }
  const { sources, sourcesContent } = JSON.parse(readFileSync(`${main}.map`, 'utf8')) as {
    sources: readonly string[]
    sourcesContent: readonly string[]
  }
  const files = new Map(sources.map((file, index) => [file.replace('../', ''), sourcesContent[index] ?? '']))
  return { version, files }
}

test.each(Object.entries<Rule>(rules).filter(([, { see }]) => !see.startsWith('https://')))(
  'where %s stands there is what it names',
  (_, { see }) => {
    const { version, files } = clientSource()
    const [place = '', words = ''] = see.split(': ')
    const [client, file = ''] = place.split(', ')
    expect(client).toBe(`@ag-ui/client ${version}`)
    const source = files.get(file) ?? ''
    expect(words.split(', ').filter((word) => !source.includes(word))).toEqual([])
  },
)
