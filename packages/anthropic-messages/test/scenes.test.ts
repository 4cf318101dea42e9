import { type AgentEvent, type Joined, type Message, runWriter, writer } from '@factwire/core'
import { expect, test } from 'vitest'
import { anthropicMessages, type AnthropicMessagesOptions, request } from '../src/index.ts'
import { CLIENTS, type ClientKind, type ClientResult, readEvents, readFinal, told } from './client.ts'
import { bodyOf, onlyFacts, type Play, play, RUN, said } from './scene.ts'

const everyone = CLIENTS.map((kind) => [told(kind), kind] as const)

/** What a client has in the end, seen live and told the facts alone: the same. */
async function seen(
  events: readonly AgentEvent[],
  kind: ClientKind,
  options: AnthropicMessagesOptions = {},
): Promise<ClientResult> {
  const live = await readFinal(bodyOf(events, options), kind)
  const facts = await readFinal(bodyOf(onlyFacts(events), options), kind)
  expect(live.warnings).toEqual([])
  expect({ ...live, heard: undefined, sent: undefined, content: outline(live) }).toEqual({
    ...facts,
    heard: undefined,
    sent: undefined,
    content: outline(facts),
  })
  return live
}

/** Blocks in few words; what is thought is joined, because its seal may stand in a block of its own. */
function outline({ content }: ClientResult): readonly unknown[] {
  const thought = content.map(({ thinking = '' }) => thinking).join('')
  const seals = content.flatMap(({ signature = '', data = '' }) => [signature, data]).filter((seal) => seal !== '')
  const rest = content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking')
  return [thought, seals, ...rest]
}

test.each(everyone)('%s: text', async (_name, kind) => {
  const events = play((run) => [run.text('Hel'), run.text('lo'), run.end()])
  const { content, stopReason, heard, id, model } = await seen(events, kind)
  expect(content).toEqual([{ type: 'text', text: 'Hello' }])
  expect({ stopReason, id, model }).toEqual({ stopReason: 'end_turn', id: 'msg_run-1', model: 'm-large' })
  expect(heard).toMatchObject({ text: 'Hello', blocks: 1 })
})

test.each(everyone)('%s: two messages are two blocks, with a blank line between', async (_name, kind) => {
  const events = play((run) => [run.text('One.'), run.commit(), run.text('Two.'), run.end()])
  expect((await seen(events, kind)).content).toEqual([
    { type: 'text', text: 'One.' },
    { type: 'text', text: '\n\nTwo.' },
  ])
})

test.each(everyone)('%s: a thought with its signature, and one that was withheld', async (_name, kind) => {
  const events = play((run) => [
    run.reasoning('Let me '),
    run.reasoning('see.', { signature: 'c2lnbmVk', encrypted: 'ZW5j' }),
    run.text('Hi.'),
    run.end(),
  ])
  const { heard } = await seen(events, kind)
  expect(heard.thinking).toBe('Let me see.')
  const { content } = await readFinal(bodyOf(onlyFacts(events)), kind)
  expect(content).toEqual([
    { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmVk' },
    { type: 'redacted_thinking', data: 'ZW5j' },
    { type: 'text', text: 'Hi.' },
  ])
  const hidden = await readFinal(bodyOf(events, { thinking: false }), kind)
  expect(hidden.content).toEqual([{ type: 'text', text: 'Hi.' }])
})

const oneTool: Play = (run) => [
  run.text('Let me look.'),
  run.toolCall('c1', 'look', '{"at":'),
  run.toolCall('c1', 'look', '"door"}'),
  run.toolOutput('c1', 'looking'),
  run.toolResult('c1', 'a cat'),
  run.text('A cat.'),
  run.end(),
]

test.each(everyone)('%s: a tool that the agent runs, and nobody else', async (_name, kind) => {
  const { content, stopReason } = await seen(play(oneTool), kind)
  expect(content).toEqual([
    { type: 'text', text: 'Let me look.' },
    { type: 'mcp_tool_use', id: 'c1', name: 'look', server_name: 'helper', input: { at: 'door' } },
    { type: 'mcp_tool_result', tool_use_id: 'c1', is_error: false, content: [{ type: 'text', text: 'a cat' }] },
    { type: 'text', text: 'A cat.' },
  ])
  expect(stopReason).toBe('end_turn')
})

test.each(everyone)('%s: two tools at once, the second of which is done first and fails', async (_name, kind) => {
  const events = play((run) => [
    run.toolCall('c1', 'look', '{"at":"door"}'),
    run.toolCall('c2', 'look', '{"at":"roof"}'),
    run.toolResult('c2', 'too high', { is_error: true }),
    run.toolResult('c1', 'a cat'),
    run.text('A cat.'),
    run.end(),
  ])
  const { content } = await seen(events, kind)
  expect(content.map(({ type, id, tool_use_id, is_error }) => [type, id ?? tool_use_id, is_error])).toEqual([
    ['mcp_tool_use', 'c1', undefined],
    ['mcp_tool_use', 'c2', undefined],
    ['mcp_tool_result', 'c2', true],
    ['mcp_tool_result', 'c1', false],
    ['text', undefined, undefined],
  ])
})

// ── What the client answers ──

const clientTools = ['ask_user']

const asks: Play = (run) => [
  run.text('One moment.'),
  run.toolCall('c1', 'ask_user', '{"q":', 'pending_client'),
  run.toolCall('c1', 'ask_user', '"Who?"}', 'pending_client'),
  run.await(),
]

test.each(everyone)('%s: a tool of the client, there and back', async (_name, kind) => {
  const run = runWriter({ runId: 'run-1', history: [said('Go.')] })
  const events = asks(run).flatMap((written) => written.events)
  const first = await readFinal(bodyOf(events, { clientTools }), kind)
  expect(first.stopReason).toBe('tool_use')
  expect(first.content).toEqual([
    { type: 'text', text: 'One moment.' },
    { type: 'tool_use', id: 'c1', name: 'ask_user', input: { q: 'Who?' } },
  ])
  const told_ = await readFinal(bodyOf(onlyFacts(events), { clientTools }), kind)
  expect(told_.content).toEqual(first.content)

  const result = { type: 'tool_result', tool_use_id: 'c1', content: 'Ada' }
  const messages = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: first.content },
    { role: 'user', content: [result] },
  ]
  const { sent } = await readFinal('', { ...kind, body: { messages } })
  const known = new Set(run.messages().map(({ id }) => id))
  const open = [{ tool_use_id: 'c1', kind: 'client' as const }]
  const asked = request(sent[0], { known, open })
  expect(asked.messages).toEqual([
    {
      id: 'message-2',
      role: 'tool',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'Ada' }], is_error: false }],
    },
  ])

  const history = run.messages()
  const more = [run.commit({ messages: asked.messages }), run.text('Hello Ada.'), run.end()]
  const second = await readFinal(
    bodyOf(
      more.flatMap((written) => written.events),
      { clientTools },
      { ...RUN, runId: 'run-2', history },
    ),
    kind,
  )
  expect(second.content).toEqual([{ type: 'text', text: 'Hello Ada.' }])
  expect(second.stopReason).toBe('end_turn')
  // The same answer again is for nothing that is open.
  expect(request(sent[0], { known, open: [] }).messages).toEqual([])
})

const approvalTool = 'approve'

const needsApproval: Play = (run) => [
  run.toolCall('c1', 'remove', '{"path":"/tmp"}'),
  run.await([{ tool_use_id: 'c1', kind: 'approval', approval_id: 'perm-1', message: 'Remove it?' }]),
]

test.each(everyone.flatMap(([name, kind]) => [[name, kind, true] as const, [name, kind, false] as const]))(
  '%s: an approval, %#',
  async (_name, kind, approved) => {
    const run = runWriter({ runId: 'run-1', history: [said('Go.')] })
    const events = needsApproval(run).flatMap((written) => written.events)
    const first = await readFinal(bodyOf(events, { approvalTool }), kind)
    expect(first.content).toEqual([
      { type: 'mcp_tool_use', id: 'c1', name: 'remove', server_name: 'helper', input: { path: '/tmp' } },
      {
        type: 'tool_use',
        id: 'perm-1',
        name: 'approve',
        input: { tool_use_id: 'c1', tool: 'remove', input: { path: '/tmp' }, message: 'Remove it?' },
      },
    ])
    expect(first.stopReason).toBe('tool_use')

    const body = {
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'perm-1', content: JSON.stringify({ approved }) }],
        },
      ],
    }
    const { sent } = await readFinal('', { ...kind, body })
    const known = new Set(run.messages().map(({ id }) => id))
    const open = [{ tool_use_id: 'c1', kind: 'approval' as const, approval_id: 'perm-1' }]
    const { decisions, messages } = request(sent[0], { known, open })
    expect(messages).toEqual([])
    expect(decisions).toEqual([{ tool_use_id: 'c1', approval_id: 'perm-1', approved, payload: { approved } }])

    const history = run.messages()
    const more = approved
      ? [run.toolResult('c1', 'removed'), run.text('Done.'), run.end()]
      : [run.toolResult('c1', 'denied', { denied: true, is_error: true }), run.text('Then not.'), run.end()]
    const context = { ...RUN, runId: 'run-2', history }
    const second = await readFinal(
      bodyOf(
        more.flatMap((written) => written.events),
        { approvalTool },
        context,
      ),
      kind,
    )
    expect(
      second.content.map(({ type, id, tool_use_id, is_error, text }) => [type, id ?? tool_use_id ?? text, is_error]),
    ).toEqual([
      ['mcp_tool_use', 'c1', undefined],
      ['mcp_tool_result', 'c1', !approved],
      ['text', approved ? 'Done.' : 'Then not.', undefined],
    ])
  },
)

test.each(everyone)(
  '%s: an approval that nobody can give is a failure, not a pause that is asked again',
  async (_name, kind) => {
    const { error } = await readFinal(bodyOf(play(needsApproval)), kind)
    expect(error).toMatchObject({ reported: true, type: 'api_error', code: 'approval_unsupported' })
  },
)

test.each(everyone)('%s: a call and an approval in one answer', async (_name, kind) => {
  const events = play((run) => [
    run.toolCall('c1', 'remove', '{}'),
    run.toolCall('c2', 'ask_user', '{}', 'pending_client'),
    run.await([
      { tool_use_id: 'c1', kind: 'approval' },
      { tool_use_id: 'c2', kind: 'client' },
    ]),
  ])
  const { content } = await readFinal(bodyOf(events, { clientTools, approvalTool }), kind)
  expect(content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))).toEqual(['c2', 'approval_c1'])
})

// ── Ends ──

test.each(everyone)('%s: exhausted', async (_name, kind) => {
  const events = play((run) => [run.text('Once upon'), run.end({ type: 'max_steps', code: 'length' })])
  expect((await seen(events, kind)).stopReason).toBe('max_tokens')
})

test.each(everyone)('%s: a refusal, and a context that is full', async (_name, kind) => {
  const refused = play((run) => [run.text('No.'), run.end({ type: 'blocked', reason: 'refusal' })])
  expect((await seen(refused, kind)).stopReason).toBe('refusal')
  const full = play((run) => [run.text('So'), run.end({ type: 'max_steps', code: 'context_window' })])
  expect((await seen(full, kind)).stopReason).toBe('model_context_window_exceeded')
})

test.each(everyone)('%s: failed', async (_name, kind) => {
  const failure = { code: 'rate_limited', message: 'slow down' }
  const events = play((run) => [run.text('Hel'), run.end({ type: 'error', failure })])
  const { error, heard, warnings } = await readFinal(bodyOf(events), kind)
  expect(error).toMatchObject({ reported: true, type: 'api_error', code: 'rate_limited' })
  expect(heard.text).toBe('Hel')
  expect(warnings).toEqual([])
  await expect(readEvents(bodyOf(events), kind)).rejects.toThrow('slow down')
})

test.each(everyone)('%s: a failure that the wire has a type for', async (_name, kind) => {
  const failure = { code: 'overloaded_error', message: 'Overloaded' }
  const events = play((run) => [run.end({ type: 'error', failure })])
  expect((await readFinal(bodyOf(events), kind)).error).toMatchObject({ type: 'overloaded_error' })
})

test.each(everyone)('%s: cancelled while a tool runs', async (_name, kind) => {
  const events = play((run) => [run.toolCall('c1', 'look', '{}'), run.commit(), run.end({ type: 'cancelled' })])
  expect((await readFinal(bodyOf(events), kind)).error).toMatchObject({ reported: true, code: 'cancelled' })
})

test.each(everyone)('%s: a stream that is cut is no answer', async (_name, kind) => {
  const body = bodyOf(play(oneTool))
  const frames = body.split('\n\n').slice(0, -1)
  for (let length = 0; length < frames.length; length++) {
    const { error } = await readFinal(frames.slice(0, length).join('\n\n') + (length > 0 ? '\n\n' : ''), kind)
    expect(error, `cut after ${length} events`).toBeDefined()
  }
})

test.each(everyone)('%s: a producer that vanishes is a failure', async (_name, kind) => {
  const events = play((run) => [run.text('Hel')])
  expect((await readFinal(bodyOf(events), kind)).error).toMatchObject({ reported: true, code: 'stream_failed' })
})

test.each(everyone)('%s: what was shown and is not the truth is a failure', async (_name, kind) => {
  const events = play((run) => [run.text('Hel'), run.reset('again'), run.text('Good'), run.text(' day.'), run.end()])
  expect((await readFinal(bodyOf(events), kind)).error).toMatchObject({ code: 'stream_reconciliation_failed' })
  const same = play((run) => [run.text('Hel'), run.reset('again'), run.text('Hello'), run.text('.'), run.end()])
  expect((await readFinal(bodyOf(same), kind)).content).toEqual([{ type: 'text', text: 'Hello.' }])
})

// ── Coming late ──

function joinedBody(before: Play, after: Play, options: AnthropicMessagesOptions = {}): string {
  const history = [said('Go.')]
  const run = runWriter({ runId: 'run-1', history, reasoning: 'text' })
  const events = before(run).flatMap((written) => written.events)
  const lastFact = events.findLastIndex(({ tier }) => tier === 'fact')
  const open = events.slice(lastFact + 1).flatMap(({ tier, event }) => (tier === 'delta' ? [event] : []))
  const join: Joined = { committed: { messages: run.messages(), standing: run.standing() }, open }
  const { push, settled, close } = writer(anthropicMessages, { ...RUN, history }, { transcoder: options, join })
  return (
    settled() +
    after(run)
      .flatMap((written) => written.events)
      .map(push)
      .join('') +
    close()
  )
}

test.each(everyone)('%s: who joins late has the same message', async (_name, kind) => {
  const late = joinedBody(
    (run) => [
      run.reasoning('Hm.', { signature: 'c2lnbmVk' }),
      run.text('Let me look.'),
      run.toolCall('c1', 'look', '{"at":"door"}'),
      run.toolResult('c1', 'a cat'),
      run.text('A c'),
    ],
    (run) => [run.text('at.'), run.end()],
  )
  const { content, stopReason, warnings } = await readFinal(late, kind)
  expect(warnings).toEqual([])
  expect(stopReason).toBe('end_turn')
  expect(content).toEqual([
    { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
    { type: 'text', text: 'Let me look.' },
    { type: 'mcp_tool_use', id: 'c1', name: 'look', server_name: 'helper', input: { at: 'door' } },
    { type: 'mcp_tool_result', tool_use_id: 'c1', is_error: false, content: [{ type: 'text', text: 'a cat' }] },
    { type: 'text', text: 'A cat.' },
  ])
})

test.each(everyone)('%s: who joins while a tool runs sees its call, and then its result', async (_name, kind) => {
  const late = joinedBody(
    (run) => [run.toolCall('c1', 'look', '{}'), run.toolCall('c2', 'ask_user', '{}', 'pending_client'), run.commit()],
    (run) => [run.toolResult('c1', 'a cat'), run.await()],
    { clientTools },
  )
  const { content, stopReason } = await readFinal(late, kind)
  expect(content.map(({ type, id, tool_use_id }) => [type, id ?? tool_use_id])).toEqual([
    ['mcp_tool_use', 'c1'],
    ['mcp_tool_result', 'c1'],
    ['tool_use', 'c2'],
  ])
  expect(stopReason).toBe('tool_use')
})

test.each(everyone)('%s: raw events are the ones that were written', async (_name, kind) => {
  const events = await readEvents(bodyOf(play(oneTool)), kind)
  const whole = ['content_block_start', 'content_block_stop']
  const written = ['content_block_start', 'content_block_delta', 'content_block_stop']
  const blocks = [written, whole, whole, written].flat()
  expect(events.map(({ type }) => type)).toEqual(['message_start', ...blocks, 'message_delta', 'message_stop'])
})

test('a user message id is never the one of an answer', () => {
  const message: Message = said('Go.')
  expect(request({ messages: [{ role: 'user', content: 'Go.' }] }).messages).toEqual([{ ...message, id: 'message-0' }])
})
