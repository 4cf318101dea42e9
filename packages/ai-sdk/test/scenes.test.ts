/** Whole conversations: the official chat of each major, and an agent that remembers. */
import { type EndCause, type RunWriter, runWriter, writer, type Written } from '@factwire/core'
import { expect, test } from 'vitest'
import { aiSdk, history } from '../src/index.ts'
import type { Target } from '../src/wire.ts'
import { agent, type Agent, type Turn } from './agent.ts'
import { type Chat, openChat, SDKS, type UIMessage, waitingCalls } from './client.ts'

const TARGETS: readonly Target[] = ['v5', 'v6', 'v7']

interface Scene {
  readonly chat: Chat
  readonly agent: Agent
}

/** A chat that asks again by itself, as pages with tools do. Whoever asks without end is stopped. */
function scene(target: Target, ...turns: readonly Turn[]): Scene {
  const server = agent(target, ...turns)
  const {
    lastAssistantMessageIsCompleteWithToolCalls: tools,
    lastAssistantMessageIsCompleteWithApprovalResponses: approvals,
  } = SDKS[target]
  const chat = openChat(target, {
    respond: (request) => {
      if (server.asked.length > 5) throw new Error('it asks without end')
      return server.respond(request)
    },
    sendWhen: (given) => tools(given) || (target !== 'v5' && approvals(given)),
  })
  return { chat, agent: server }
}

/** Nothing is wrong, and the chat has what the agent's history gives. */
function expectWell({ chat, agent: server }: Scene, target: Target): void {
  const { status, error, warnings, messages } = chat.page()
  expect({ status, error, warnings }).toEqual({ status: 'ready', error: undefined, warnings: [] })
  expect(messages.map(bare)).toEqual((history(server.committed(), { target }) as unknown as UIMessage[]).map(bare))
}

/** But for what its user said, and what was told of the run. */
function bare({ id, role, parts }: UIMessage): unknown {
  const told = (parts as unknown as readonly { readonly state?: string }[]).map((part) =>
    part.state === 'approval-requested' ? part : { ...part, approval: undefined },
  )
  return JSON.parse(JSON.stringify({ id, role, parts: told }))
}

const parts = (chat: Chat): readonly { readonly [name: string]: unknown }[] =>
  JSON.parse(JSON.stringify(chat.page().messages.at(-1)?.parts ?? []))

const chunksIn = (body = ''): readonly unknown[] =>
  body.split('\n\n').flatMap((line) => {
    const data = line.slice(line.indexOf('data: ') + 'data: '.length)
    return data === '' ? [] : [data === '[DONE]' ? data : (JSON.parse(data) as unknown)]
  })

const text =
  (...pieces: string[]): ((say: RunWriter) => readonly Written[]) =>
  (say) => [...pieces.map((piece) => say.text(piece)), say.end()]

test.each(TARGETS)('%s: text that is streamed is one part', async (target) => {
  const given = scene(target, text('Hel', 'lo'))
  await given.chat.say('Hi')
  expect(parts(given.chat)).toEqual([{ type: 'step-start' }, { type: 'text', text: 'Hello', state: 'done' }])
  expectWell(given, target)
})

test.each(TARGETS)('%s: a thought stands before what it led to', async (target) => {
  const given = scene(target, (say) => [say.reasoning('Let me '), say.reasoning('see.'), say.text('42'), say.end()])
  await given.chat.say('Hi')
  expect(parts(given.chat)).toEqual([
    { type: 'step-start' },
    { type: 'reasoning', id: 'reasoning-0', text: 'Let me see.', state: 'done' },
    { type: 'text', text: '42', state: 'done' },
  ])
  expectWell(given, target)
})

const looks: Turn = (say) => [
  say.text('Let me look.'),
  say.toolCall('c1', 'look', '{"at":1}', 'executed'),
  say.toolCall('c2', 'look', '{"at":2}', 'executed'),
  say.commit({
    inference: { model: 'm', usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }, duration_ms: 1 },
  }),
  say.toolResult('c2', 'a dog'),
  say.toolResult('c1', '{"a":"cat"}', { data: { a: 'cat' } }),
]

test.each(TARGETS)('%s: calls of the agent are shown, and nobody runs or sends them again', async (target) => {
  const given = scene(target, (say, asked) => [...looks(say, asked), say.text('A cat and a dog.'), say.end()])
  await given.chat.say('What is there?')
  await given.chat.settled()
  expect(parts(given.chat)).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-look', toolCallId: 'c1', state: 'output-available', input: { at: 1 }, output: { a: 'cat' } },
    { type: 'tool-look', toolCallId: 'c2', state: 'output-available', input: { at: 2 }, output: 'a dog' },
    { type: 'step-start' },
    { type: 'text', text: 'A cat and a dog.' },
  ])
  expect(given.chat.page()).toMatchObject({ ran: [], sent: [expect.anything()] })
  expect(given.chat.page().messages.at(-1)?.metadata).toMatchObject({
    model: 'm',
    usage: { inputTokens: 3, totalTokens: 7 },
  })
  expectWell(given, target)
})

test.each(TARGETS)('%s: a run whose last words are results is not sent again for ever', async (target) => {
  const given = scene(target, (say, asked) => [...looks(say, asked), say.end({ type: 'max_steps' })])
  await given.chat.say('What is there?')
  await given.chat.settled()
  expect(given.chat.page().sent).toHaveLength(1)
  expectWell(given, target)
})

test.each(TARGETS)('%s: the same calls without their mark are sent again for ever', async (target) => {
  const server = agent(target, (say, asked) => [...looks(say, asked), say.end({ type: 'max_steps' })])
  let requests = 0
  const chat = openChat(target, {
    respond: async (request) => {
      requests++
      const body = await server.respond(request).text()
      // The chat goes on with its last message, and finds the calls of it answered again.
      if (requests > 5) throw new Error('enough')
      return new Response(body.replaceAll(',"providerExecuted":true', ''))
    },
    sendWhen: SDKS[target].lastAssistantMessageIsCompleteWithToolCalls,
  })
  await chat.say('What is there?')
  await chat.settled()
  expect(requests).toBeGreaterThan(5)
  expect(chat.page().ran).toEqual(expect.arrayContaining(['c1', 'c2']))
})

const asks: Turn = (say) => [
  say.toolCall('c1', 'look', '{}', 'executed'),
  say.toolCall('ask', 'ask_user', '{"q":"Which?"}', 'pending_client'),
  say.commit(),
  say.toolResult('c1', 'two doors'),
  say.await(),
]

test.each(TARGETS)('%s: the tool of the page runs once, and the answer goes on in the same message', async (target) => {
  const given = scene(target, asks, (say, { messages }) => [
    say.commit({ messages }),
    say.text('The left one.'),
    say.end(),
  ])
  const { chat } = given
  await chat.say('Where to?')
  await chat.settled()
  expect(waitingCalls(chat.page().messages)).toEqual([{ id: 'ask', name: 'ask_user', asks: false }])
  expect(chat.page().sent).toHaveLength(1)
  expectWell(given, target)
  await chat.answer(() => ({ output: { door: 'left' } }))
  await chat.settled()
  expect(chat.page()).toMatchObject({ ran: ['ask'], sent: { length: 2 }, messages: { length: 2 } })
  expect(given.agent.asked[1]).toMatchObject({
    continues: given.chat.page().messages[1]?.id,
    messages: [{ role: 'tool', content: [{ tool_use_id: 'ask', data: { door: 'left' }, is_error: false }] }],
  })
  expect(parts(chat).slice(-3)).toMatchObject([
    { type: 'tool-ask_user', state: 'output-available', output: { door: 'left' } },
    { type: 'step-start' },
    { type: 'text', text: 'The left one.' },
  ])
  expectWell(given, target)
})

test.each(TARGETS)('%s: a run that ends with the results of the page is over', async (target) => {
  const given = scene(target, asks, (say, { messages }) => [say.commit({ messages }), say.end()])
  await given.chat.say('Where to?')
  await given.chat.answer(() => ({ errorText: 'nobody is here' }))
  await given.chat.settled()
  expect(given.chat.page().sent).toHaveLength(2)
  expect(given.agent.asked[1]?.messages).toMatchObject([
    { content: [{ is_error: true, content: [{ text: 'nobody is here' }] }] },
  ])
  expectWell(given, target)
})

const removes: Turn = (say) => [
  say.toolCall('rm', 'remove', '{"all":true}', 'pending_builtin'),
  say.commit(),
  say.await([{ tool_use_id: 'rm', kind: 'approval', approval_id: 'perm-1', message: 'Really?' }]),
]

const removed: Turn = (say, { decisions }) => {
  const approved = decisions.some((one) => one.tool_use_id === 'rm' && one.approved)
  const said = approved ? say.toolResult('rm', 'gone') : say.toolResult('rm', 'Somebody said no.', { denied: true })
  return [said, say.text(approved ? 'Done.' : 'Then it stays.'), say.end()]
}

test.each(TARGETS)('%s: an approval is asked for, and what was allowed is done', async (target) => {
  const given = scene(target, removes, removed)
  const { chat } = given
  await chat.say('Remove it.')
  await chat.settled()
  expect(waitingCalls(chat.page().messages)).toEqual([{ id: 'rm', name: 'remove', asks: target !== 'v5' }])
  expect(chat.page().messages[1]?.metadata).toMatchObject({
    factwire: {
      end: { type: 'awaiting', pending: [{ tool_use_id: 'rm', approval_id: 'perm-1', message: 'Really?' }] },
    },
  })
  expectWell(given, target)
  await chat.answer(() => ({ approved: true, output: true }))
  await chat.settled()
  expect(given.agent.asked[1]?.decisions).toEqual([
    { tool_use_id: 'rm', approval_id: 'perm-1', approved: true, ...(target === 'v5' ? { payload: true } : {}) },
  ])
  expect(parts(chat)).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-remove', state: 'output-available', output: 'gone' },
    { type: 'step-start' },
    { text: 'Done.' },
  ])
  // A chat of v5 hands over what it does not know to be somebody else's.
  expect(chat.page()).toMatchObject({ ran: target === 'v5' ? ['rm'] : [], sent: { length: 2 } })
  expectWell(given, target)
})

test.each(TARGETS)('%s: what was denied is not done', async (target) => {
  const given = scene(target, removes, removed)
  const { chat } = given
  await chat.say('Remove it.')
  await chat.answer(() => ({ approved: false, reason: 'not now', output: false }))
  await chat.settled()
  const [decision] = given.agent.asked[1]?.decisions ?? []
  expect(decision).toMatchObject({ tool_use_id: 'rm', approved: false })
  expect(parts(chat)).toMatchObject([
    { type: 'step-start' },
    { state: target === 'v5' ? 'output-error' : 'output-denied' },
    { type: 'step-start' },
    { text: 'Then it stays.' },
  ])
  expect(chat.page().sent).toHaveLength(2)
  expectWell(given, target)
})

test.each(TARGETS)('%s: an answer that the agent did not take is asked for again, once', async (target) => {
  const given = scene(target, removes, (say) => [say.await([{ tool_use_id: 'rm', kind: 'approval' }])])
  const { chat } = given
  await chat.say('Remove it.')
  await chat.answer(({ asks }) => (asks ? { approved: true } : undefined))
  await chat.settled()
  expect(chat.page().sent).toHaveLength(target === 'v5' ? 1 : 2)
  expect(waitingCalls(chat.page().messages)).toHaveLength(1)
})

test.each(TARGETS)('%s: a question instead of an answer begins another message', async (target) => {
  const given = scene(target, asks, (say, { messages }) => [
    say.commit({ messages: messages.filter(({ role }) => role === 'tool') }),
    say.toolResult('ask', 'never mind', { cancelled: true }),
    say.text('Hello.'),
    say.end(),
  ])
  const { chat } = given
  await chat.say('Where to?')
  await chat.say('Hello?')
  const { messages, status, told } = chat.page()
  expect({ status, roles: messages.map(({ role }) => role) }).toEqual({
    status: 'ready',
    roles: ['user', 'assistant', 'user', 'assistant'],
  })
  // The result belongs to a part that this stream cannot reach.
  expect(told.filter(({ type }) => type === 'data-tool-result')).toMatchObject([{ data: { toolCallId: 'ask' } }])
})

test.each(TARGETS)('%s: a failure is an error, and what was said before it stays', async (target) => {
  const failing: Turn = (say) => [
    say.text('Let me'),
    say.end({ type: 'error', failure: { code: 'overloaded', message: 'try later' } }),
  ]
  const given = scene(target, failing, text('Better.'))
  const { chat } = given
  await chat.say('Hi')
  expect(chat.page()).toMatchObject({ status: 'error', error: { message: 'try later' }, warnings: [] })
  expect(parts(chat)).toEqual([{ type: 'step-start' }, { type: 'text', text: 'Let me', state: 'done' }])
  expect(chat.page().messages[1]?.metadata).toMatchObject({ factwire: { end: { type: 'failed', code: 'overloaded' } } })
  await chat.say('Again')
  expectWell(given, target)
})

test.each(TARGETS)('%s: a run that was cancelled ends its calls', async (target) => {
  const given = scene(target, (say) => [
    say.toolCall('c1', 'look', '{}', 'executed'),
    say.commit(),
    say.end({ type: 'cancelled' }),
  ])
  await given.chat.say('Hi')
  await given.chat.settled()
  expect(parts(given.chat)).toMatchObject([{ type: 'step-start' }, { type: 'tool-look', state: 'output-error' }])
  expect(given.chat.page().sent).toHaveLength(1)
  expectWell(given, target)
})

test.each(TARGETS)('%s: a run that was cancelled never finishes, and says that it was broken off', async (target) => {
  const given = scene(target, (say) => [say.text('Let me'), say.end({ type: 'cancelled' })])
  const { chat } = given
  await chat.say('Hi')
  expect(chat.page().finishReasons).toEqual([undefined])
  expect(chat.page().messages.at(-1)?.metadata).toMatchObject({
    factwire: { end: { type: 'finished', cause: { type: 'cancelled' } } },
  })
  expect(chunksIn(given.agent.told.at(-1)).slice(-3)).toMatchObject([
    { type: 'message-metadata' },
    { type: 'abort' },
    '[DONE]',
  ])
  expectWell(given, target)
})

test.each(TARGETS.flatMap((target) => ['refusal', 'content_filter'].map((reason) => ({ target, reason }))))(
  '$target: an answer that was blocked ($reason) says so',
  async ({ target, reason }) => {
    const given = scene(target, (say) => [say.text('I cannot'), say.end({ type: 'blocked', reason })])
    await given.chat.say('Hi')
    // Clients of v5 cannot be told, but by the metadata.
    expect(given.chat.page().finishReasons).toEqual([target === 'v5' ? undefined : 'content-filter'])
    expect(given.chat.page().messages.at(-1)?.metadata).toMatchObject({
      factwire: { end: { type: 'finished', cause: { type: 'blocked', reason } } },
    })
    expectWell(given, target)
  },
)

test.each(TARGETS)('%s: an answer that was too long says so', async (target) => {
  const given = scene(target, (say) => [say.text('On and'), say.end({ type: 'max_steps', code: 'length' })])
  await given.chat.say('Hi')
  expect(given.chat.page().finishReasons).toEqual([target === 'v5' ? undefined : 'length'])
  expectWell(given, target)
})

test.each(TARGETS)('%s: an answer that is wanted again takes the place of the old one', async (target) => {
  const given = scene(target, text('One.'), text('Two.'))
  const { chat } = given
  await chat.say('Hi')
  await chat.regenerate()
  expect(given.agent.asked[1]).toMatchObject({ trigger: 'regenerate-message', messages: [] })
  expect(chat.page().status).toBe('ready')
  expect(chat.page().messages).toHaveLength(2)
})

const ENDS: readonly EndCause[] = [
  { type: 'cancelled' },
  { type: 'error', failure: { code: 'overloaded', message: 'try later' } },
  { type: 'natural_end' },
]
const whole = (say: RunWriter): readonly Written[] => [
  say.toolCall('c1', 'look', '{}', 'executed'),
  say.toolCall('ask', 'ask_user', '{"q":"Which?"}', 'pending_client'),
  say.commit(),
]

test.each(TARGETS.flatMap((target) => ENDS.map((cause) => ({ target, cause, end: cause.type }))))(
  '$target: a run that ends ($end) before it waits has nothing that a page runs, also for who joined',
  async ({ target, cause }) => {
    const given = scene(target, (say) => [...whole(say), say.end(cause)])
    await given.chat.say('Where to?')
    await given.chat.settled()
    expect(given.chat.page()).toMatchObject({ ran: [], sent: { length: 1 } })
    expect(parts(given.chat)).toMatchObject([
      { type: 'step-start' },
      { toolCallId: 'c1', state: 'output-error' },
      { toolCallId: 'ask', state: 'output-error', input: { q: 'Which?' } },
    ])
    expect(waitingCalls(given.chat.page().messages)).toEqual([])
    const late = openChat(target)
    await late.ask(joinedBody(target, cause))
    expect(late.page()).toMatchObject({ ran: [], warnings: [] })
    expect(parts(late)).toMatchObject([{ type: 'step-start' }, { toolCallId: 'c1' }, { state: 'output-error' }])
  },
)

/** What somebody is told who joins when the calls are made, and the run has not ended. */
function joinedBody(target: Target, cause: EndCause | undefined): string {
  const say = runWriter({ runId: 'run-1', reasoning: 'text' })
  const pending = whole(say).at(-1)?.commit?.pending ?? []
  const join = { committed: { messages: say.messages(), standing: say.standing(), pending }, open: [] }
  const { push, settled } = writer(aiSdk, { threadId: 't', runId: 'run-1' }, { transcoder: { target }, join })
  const rest = cause ? [say.end(cause)] : [say.toolResult('c1', 'two doors'), say.await()]
  return settled() + rest.flatMap(({ events }) => events.map(push)).join('')
}

test.each(TARGETS)(
  '%s: until the run waits a call of the page is seen with all its arguments, and then run',
  async (target) => {
    const say = runWriter({ runId: 'run-1', reasoning: 'text' })
    const { push, close } = writer(aiSdk, { threadId: 't', runId: 'run-1' }, { transcoder: { target } })
    const before = whole(say)
      .flatMap(({ events }) => events.map(push))
      .join('')
    const page = openChat(target)
    await page.ask(before)
    expect(page.page().ran).toEqual([])
    expect(parts(page).at(-1)).toMatchObject({ toolCallId: 'ask', state: 'input-streaming', input: { q: 'Which?' } })
    const rest = [say.toolResult('c1', 'two doors'), say.await()].flatMap(({ events }) => events.map(push)).join('')
    for (const body of [before + rest + close(), joinedBody(target, undefined)]) {
      const there = openChat(target)
      await there.ask(body)
      expect(there.page().ran).toEqual(['ask'])
      expect(waitingCalls(there.page().messages)).toEqual([{ id: 'ask', name: 'ask_user', asks: false }])
    }
  },
)
