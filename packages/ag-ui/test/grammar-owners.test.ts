/** Whose items are, and what chunks go on with: what the grammar says of any order of events, and what the client does. */
import { checkGrammar } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { grammar } from '../src/index.ts'
import type { AgUiMessage } from '../src/wire-message.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { clientView } from './client.ts'
import { started } from './decoded.ts'

const OWNERS = [undefined, '', 's', 't']
const IDS = ['a', 'b']

type Whose = { readonly subagentRunId?: string }
const anyOwner: fc.Arbitrary<Whose> = fc
  .constantFrom(...OWNERS)
  .map((subagentRunId) => (subagentRunId === undefined ? {} : { subagentRunId }))
const anyId = fc.constantFrom(...IDS)

/** Ids that belong to no kind but this one, so that only owners and chunks are in question. */
const id = (kind: 'text' | 'call' | 'thought' | 'plan' | 'result'): fc.Arbitrary<string> =>
  anyId.map((name) => `${kind} ${name}`)

/** A call that names no subagent and a message of one is beyond the grammar. */
const startCall = fc
  .record({ whose: anyOwner, call: id('call'), parent: fc.option(id('text'), { nil: undefined }) })
  .map(({ whose, call, parent }): AgUiEvent => ({
    type: 'TOOL_CALL_START',
    toolCallId: call,
    toolCallName: 'f',
    ...(parent === undefined || whose.subagentRunId === undefined ? {} : { parentMessageId: parent }),
    ...whose,
  }))

const explicit: fc.Arbitrary<AgUiEvent> = fc.oneof(
  startCall,
  fc
    .record({ whose: anyOwner, messageId: id('text'), end: fc.constantFrom('START', 'CONTENT', 'END') })
    .map(({ whose, messageId, end }): AgUiEvent =>
      end === 'CONTENT'
        ? { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'x', ...whose }
        : { type: end === 'START' ? 'TEXT_MESSAGE_START' : 'TEXT_MESSAGE_END', messageId, ...whose },
    ),
  fc
    .record({ whose: anyOwner, toolCallId: id('call'), args: fc.boolean() })
    .map(({ whose, toolCallId, args }): AgUiEvent =>
      args
        ? { type: 'TOOL_CALL_ARGS', toolCallId, delta: '1', ...whose }
        : { type: 'TOOL_CALL_END', toolCallId, ...whose },
    ),
  fc
    .record({ whose: anyOwner, messageId: id('thought'), span: fc.boolean(), start: fc.boolean() })
    .map(({ whose, messageId, span, start }): AgUiEvent => {
      if (span) return { type: start ? 'REASONING_START' : 'REASONING_END', messageId, ...whose }
      return start
        ? { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning', ...whose }
        : { type: 'REASONING_MESSAGE_END', messageId, ...whose }
    }),
  fc
    .record({
      whose: anyOwner,
      subtype: fc.constantFrom('message', 'tool-call'),
      to: fc.oneof(id('text'), id('thought'), id('call')),
    })
    .map(({ whose, subtype, to }): AgUiEvent => ({
      type: 'REASONING_ENCRYPTED_VALUE',
      subtype,
      entityId: to,
      encryptedValue: 'e',
      ...whose,
    })),
  fc
    .record({ whose: anyOwner, messageId: id('plan'), how: fc.constantFrom('new', 'kept', 'patch') })
    .map(({ whose, messageId, how }): AgUiEvent =>
      how === 'patch'
        ? { type: 'ACTIVITY_DELTA', messageId, activityType: 'PLAN', patch: [], ...whose }
        : {
            type: 'ACTIVITY_SNAPSHOT',
            messageId,
            activityType: 'PLAN',
            content: {},
            ...(how === 'kept' ? { replace: false } : {}),
            ...whose,
          },
    ),
  fc.record({ whose: anyOwner, messageId: id('result'), toolCallId: id('call') }).map((result): AgUiEvent => ({
    type: 'TOOL_CALL_RESULT',
    messageId: result.messageId,
    toolCallId: result.toolCallId,
    content: 'ok',
    ...result.whose,
  })),
  fc
    .record({ whose: anyOwner, ids: fc.uniqueArray(id('text'), { maxLength: 2 }) })
    .map(({ whose, ids }): AgUiEvent => ({
      type: 'MESSAGES_SNAPSHOT',
      messages: ids.map((message): AgUiMessage => ({ id: message, role: 'assistant', content: 'x', ...whose })),
    })),
  fc.constantFrom<AgUiEvent>({ type: 'CUSTOM', name: 'x', value: 1 }, { type: 'RAW', event: 1 }),
)

interface Said {
  readonly named: boolean
  readonly role: 'assistant' | 'user' | undefined
  readonly name: string | undefined
  readonly parent: string | undefined
}
const anySaid: fc.Arbitrary<Said> = fc.record({
  named: fc.boolean(),
  role: fc.constantFrom(undefined, undefined, 'assistant', 'user'),
  name: fc.constantFrom(undefined, 'f', 'g'),
  parent: fc.constantFrom(undefined, undefined, 'text p', 'text q'),
})

/** In the lane of `whose`, and with ids that no other lane has: the grammar does not look for a chunk's lane elsewhere. */
function chunk(whose: Whose, kind: string, name: string, said: Said): AgUiEvent {
  const lane = `${kind} ${whose.subagentRunId ?? 'run'} ${name}`
  switch (kind) {
    case 'text':
      return {
        type: 'TEXT_MESSAGE_CHUNK',
        delta: 'x',
        ...(said.named ? { messageId: lane } : {}),
        ...(said.role === undefined ? {} : { role: said.role }),
        ...(said.name === undefined ? {} : { name: said.name }),
        ...whose,
      }
    case 'thought':
      return { type: 'REASONING_MESSAGE_CHUNK', delta: 'x', ...(said.named ? { messageId: lane } : {}), ...whose }
    default:
      return {
        type: 'TOOL_CALL_CHUNK',
        delta: '1',
        ...(said.named ? { toolCallId: lane } : {}),
        ...(said.name === undefined ? {} : { toolCallName: said.name }),
        ...(said.parent === undefined ? {} : { parentMessageId: said.parent }),
        ...whose,
      }
  }
}

const chunksOf = (owners: readonly Whose[]): fc.Arbitrary<AgUiEvent> =>
  fc
    .record({
      whose: fc.constantFrom(...owners),
      kind: fc.constantFrom('text', 'thought', 'call'),
      name: anyId,
      said: anySaid,
    })
    .map(({ whose, kind, name, said }) => chunk(whose, kind, name, said))

const anyEvents = fc.oneof(
  fc.array(explicit, { maxLength: 12 }),
  fc.array(fc.oneof(explicit, { weight: 2, arbitrary: chunksOf([{}]) }), { maxLength: 10 }),
  fc.array(fc.oneof(explicit, { weight: 2, arbitrary: chunksOf([{ subagentRunId: 's' }, { subagentRunId: '' }]) }), {
    maxLength: 10,
  }),
)

/** Without what is not in question here, as far as the grammar finds it: most orders of events would fail for that alone. */
function tidied(events: readonly AgUiEvent[]): readonly AgUiEvent[] {
  let kept: AgUiEvent[] = [started]
  for (const event of events) {
    const breaches = breachesOf([...kept, event])
    if (breaches.every(({ rule }) => OURS.has(rule))) kept = [...kept, event]
    // What is rejected ends the stream.
    if (breaches.some(({ rule }) => OURS.has(rule))) break
  }
  return kept
}
const OURS = new Set(['one-owner', 'call-of-its-parent', 'chunk-repeats-itself', 'chunk-names-its-item'])

function breachesOf(events: readonly AgUiEvent[]): ReturnType<ReturnType<typeof checkGrammar>['push']> {
  const check = checkGrammar(grammar)
  return events.flatMap((event) => check.push(event)).filter(({ force }) => force !== 'demanded')
}

test('the client gives a stream up where the grammar says that an item has another owner or a chunk says another word, and nowhere else', async () => {
  const found = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(anyEvents, async (events) => {
      const stream = tidied(events)
      const rejected = breachesOf(stream).filter(({ force }) => force === 'rejected')
      for (const { rule } of rejected) found.set(rule, (found.get(rule) ?? 0) + 1)
      const view = await clientView(stream)
      const told = rejected.map(({ rule }) => rule)
      expect([told, view.rejected, view.rejected !== undefined]).toEqual([told, view.rejected, told.length > 0])
    }),
    { seed: 20_261_130, numRuns: Number(process.env['FACTWIRE_RUNS'] || 200) * 3 },
  )
  // Each of them came up.
  expect([...found.keys()].toSorted()).toEqual([...OURS].toSorted())
}, 600_000)
