import { factEvent, type Joined, type Message, runWriter, writer } from '@factwire/core'
import { describe, expect, test } from 'vitest'
import { openaiResponses } from '../src/index.ts'
import { type ClientVersion, type ClientView, type Item, readFinal, readRaw, readWhole } from './client.ts'
import {
  approval,
  bodyOf,
  cancelled,
  cancelledClient,
  clientTool,
  exhausted,
  factsOf,
  failed,
  filtered,
  length,
  OPTIONS,
  parallel,
  reasoning,
  refused,
  RUN,
  tell,
  text,
  tool,
} from './scenes.ts'

const VERSIONS: readonly ClientVersion[] = ['7', '6']

/** What a client has in the end, item by item, in few words. */
function outline(item: Item): string {
  switch (item.type) {
    case 'message':
      return `says ${item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('')}`
    case 'reasoning':
      return `thinks ${item.summary.map((part) => part.text).join('')}`
    case 'function_call':
      return `is to run ${item.name} ${item.arguments} (${item.call_id}, ${item.status})`
    case 'mcp_approval_request':
      return `is asked about ${item.name} ${item.arguments} (${item.id})`
    case 'mcp_call':
      return `ran ${item.name} ${item.arguments} (${item.status}): ${item.output ?? JSON.stringify(item.error)}`
    default:
      return item.type
  }
}

const itemsOf = ({ response }: ClientView): readonly string[] => (response?.output ?? []).map(outline)
const clean = { error: undefined, warnings: [] }

describe.each(VERSIONS)('openai %s', (version) => {
  const final = (body: string): Promise<ClientView> => readFinal(body, { version })

  test.each([
    ['text', text, 'completed', ['says Hello.']],
    ['reasoning', reasoning, 'completed', ['thinks Let me see.', 'says It is 4.']],
    [
      'a tool of the agent',
      tool,
      'completed',
      ['says I look.', 'ran look_up {"city":"Oslo"} (completed): 4 degrees', 'says It is cold.'],
    ],
    [
      'two tools at once',
      parallel,
      'completed',
      [
        'ran look_up {"city":"Oslo"} (failed): {"type":"mcp_tool_execution_error","content":[{"type":"text","text":"gone"}]}',
        'ran look_up {"city":"Rome"} (completed): hot',
        'says Done.',
      ],
    ],
    [
      'a tool of the client',
      clientTool,
      'completed',
      ['says Which?', 'is to run choose {"from":["red"]} (call_c, completed)'],
    ],
    ['an approval', approval, 'completed', ['says Shall I?', 'is asked about remove {"path":"/tmp/a"} (mcpr_call_r)']],
    ['steps that are used up', exhausted, 'incomplete', ['says So far.']],
    ['an answer that is too long', length, 'incomplete', ['says And then']],
    ['an answer that was refused', refused, 'incomplete', ['says I cannot']],
    ['an answer that a filter has cut', filtered, 'incomplete', ['says And']],
  ] as const)('sees %s, whether it was there or came later', async (_scene, scene, status, items) => {
    const { events } = tell(scene)
    for (const told of [events, factsOf(events)]) {
      const view = await final(bodyOf(told))
      expect({ ...view, items: itemsOf(view) }).toMatchObject({ ...clean, items, response: { status } })
      const raw = await readRaw(bodyOf(told), { version })
      expect({ ...raw, items: itemsOf(raw) }).toMatchObject({ ...clean, ended: true, items })
      expect(raw.events.map((event) => event.sequence_number)).toEqual([...raw.events.keys()])
    }
  })

  test('hears of usage, model and time', async () => {
    const { response } = await final(bodyOf(tell(text).events))
    expect(response).toMatchObject({
      id: 'resp_run-1',
      model: 'm-1',
      created_at: 1_790_000_000,
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15, output_tokens_details: { reasoning_tokens: 2 } },
    })
  })

  test('sees a failure, and what was committed before it', async () => {
    const view = await final(bodyOf(tell(failed).events))
    expect({ ...view, items: itemsOf(view) }).toMatchObject({
      ...clean,
      response: { status: 'failed', error: { code: 'rate_limited', message: 'too many requests' } },
      items: [
        'says I look.',
        'ran look_up {} (failed): {"type":"mcp_tool_execution_error","content":[{"type":"text","text":"No result: the run failed (too many requests)."}]}',
      ],
    })
  })

  test.each([
    ['a tool ran', cancelled],
    ['a call of the client was written', cancelledClient],
  ])('sees that a run was cancelled while %s, and has nothing to run', async (_while, scene) => {
    const view = await final(bodyOf(tell(scene).events))
    expect(view).toMatchObject({ ...clean, response: { status: 'cancelled' } })
    expect(view.response?.output.some(({ type }) => type === 'function_call')).toBe(false)
    expect(
      view.events.some((event) => event.type === 'response.output_item.done' && event.item.type === 'function_call'),
    ).toBe(false)
  })

  test('what it runs comes back in its next request, and the run goes on in another response', async () => {
    const first = tell(clientTool)
    const asked = await final(bodyOf(first.events))
    const [call] = (asked.response?.output ?? []).filter((item) => item.type === 'function_call')
    const input = [{ type: 'function_call_output', call_id: call?.call_id, output: 'red' }]
    const open = [{ tool_use_id: 'call_c', kind: 'client' as const }]
    const { messages, previousResponseId } = openaiResponses.request(
      { model: 'm', input, previous_response_id: asked.response?.id, stream: true },
      { known: new Set(first.thread.map(({ id }) => id)), open },
    )
    expect(previousResponseId).toBe('resp_run-1')
    expect(messages).toMatchObject([{ role: 'tool', content: [{ tool_use_id: 'call_c', content: [{ text: 'red' }] }] }])
    const second = goOn(first.thread, messages)
    const view = await final(bodyOf(second, { ...OPTIONS, responseId: 'resp_run-1-2' }, first.thread))
    expect({ ...view, items: itemsOf(view) }).toMatchObject({ ...clean, items: ['says Red it is.'] })
  })

  test.each([
    [true, 'ran remove {"path":"/tmp/a"} (completed): removed'],
    [
      false,
      'ran remove {"path":"/tmp/a"} (failed): {"type":"mcp_tool_execution_error","content":[{"type":"text","text":"They said no."}]}',
    ],
  ])('an approval that is answered %s', async (approve, ran) => {
    const first = tell(approval)
    const asked = await final(bodyOf(first.events))
    const question = asked.response?.output.find((item) => item.type === 'mcp_approval_request')
    const input = [{ type: 'mcp_approval_response', approval_request_id: question?.id, approve }]
    const open = [{ tool_use_id: 'call_r', kind: 'approval' as const, approval_id: 'perm-1' }]
    const { decisions } = openaiResponses.request({ model: 'm', input }, { open })
    expect(decisions).toEqual([{ tool_use_id: 'call_r', approval_id: 'perm-1', approved: approve }])
    const result: Message = {
      id: 'tool-call_r',
      role: 'tool',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'call_r',
          content: [{ type: 'text', text: approve ? 'removed' : 'They said no.' }],
          is_error: !approve,
        },
      ],
    }
    const view = await final(bodyOf(goOn(first.thread, [result]), OPTIONS, first.thread))
    expect({ ...view, items: itemsOf(view) }).toMatchObject({ ...clean, items: [ran, 'says Red it is.'] })
    const call = view.response?.output.find((item) => item.type === 'mcp_call')
    expect(call?.approval_request_id).toBe(question?.id)
  })

  test('a stream that breaks off is a failure where the server says so, and has no end where it cannot', async () => {
    const { events } = tell(tool)
    const gone = await final(bodyOf(events.slice(0, 6)))
    expect(gone).toMatchObject({ ...clean, response: { status: 'failed', error: { code: 'stream_failed' } } })
    const whole = bodyOf(events).split('\n\n')
    const cut = await final(`${whole.slice(0, -2).join('\n\n')}\n\n`)
    expect({ error: cut.error, status: cut.response?.status }).toEqual({ error: undefined, status: 'in_progress' })
  })

  test('a run that is not what was shown fails, and its text is not put together from both', async () => {
    const { events } = tell((run) => [
      run.text('Hello'),
      run.commit({
        messages: [{ id: run.messageId(), role: 'assistant', content: [{ type: 'text', text: 'Good bye' }] }],
      }),
      run.end(),
    ])
    const view = await final(bodyOf(events))
    expect(view).toMatchObject({
      ...clean,
      response: { status: 'failed', error: { code: 'stream_reconciliation_failed' }, output: [] },
    })
  })

  test('what is said again after a reset goes on where it was', async () => {
    const { events } = tell((run) => [
      run.text('Hello'),
      run.reset('connection lost'),
      run.text('Hel'),
      run.text('lo there.'),
      run.end(),
    ])
    const view = await final(bodyOf(events))
    expect(itemsOf(view)).toEqual(['says Hello there.'])
    expect(view.events.filter(({ type }) => type === 'response.output_text.delta')).toHaveLength(2)
  })

  test('who joins late has the same response', async () => {
    const run = runWriter({ runId: RUN.runId })
    const before = [
      run.text('I look.'),
      run.toolCall('call_a', 'look_up', '{}'),
      run.commit(),
      run.toolResult('call_a', 'x'),
      run.text('It '),
    ]
    const joined: Joined = {
      committed: { messages: run.messages(), standing: run.standing() },
      open: before.at(-1)?.events.flatMap(({ tier, event }) => (tier === 'delta' ? [event] : [])) ?? [],
    }
    const rest = [run.text('is cold.'), run.end()].flatMap(({ events }) => events)
    const { settled, push, close } = writer(openaiResponses, RUN, { join: joined, transcoder: OPTIONS })
    const late = await final(settled() + rest.map(push).join('') + close())
    const there = await final(bodyOf([...before.flatMap(({ events }) => events), ...rest]))
    expect(late).toMatchObject(clean)
    expect(itemsOf(late)).toEqual(itemsOf(there))
  })

  test('reads the whole response that nobody streamed', async () => {
    const facts = factsOf(tell(tool).events).flatMap(({ tier, event }) => (tier === 'fact' ? [event] : []))
    const whole = await readWhole(openaiResponses.complete(facts, RUN, OPTIONS), { version })
    const streamed = await final(bodyOf(tell(tool).events))
    expect(whole).toMatchObject(clean)
    expect(itemsOf(whole)).toEqual(itemsOf(streamed))
    expect(whole.response?.usage).toEqual(streamed.response?.usage)
    expect(whole.response?.output_text).toBe('I look.It is cold.')
  })

  test.each([
    ['refused', refused, 'incomplete', { reason: 'content_filter' }],
    ['filtered', filtered, 'incomplete', { reason: 'content_filter' }],
    ['cancelled', cancelled, 'cancelled', { reason: 'cancelled' }],
  ])('an answer that was %s does not look whole, streamed or not', async (_how, scene, status, why) => {
    const { events } = tell(scene)
    const facts = factsOf(events).flatMap(({ tier, event }) => (tier === 'fact' ? [event] : []))
    const whole = await readWhole(openaiResponses.complete(facts, RUN, OPTIONS), { version })
    for (const view of [await final(bodyOf(events)), await final(bodyOf(factsOf(events))), whole]) {
      expect(view).toMatchObject({ ...clean, response: { status, incomplete_details: why } })
      expect(view.events.some(({ type }) => type === 'response.completed')).toBe(false)
    }
  })

  test('is told by a status what was wrong with its request', async () => {
    const failure = openaiResponses.error(401, { code: 'no_key', message: 'no key' })
    const refused = await readWhole(failure, { version, status: 401 })
    expect(refused.error).toMatchObject({ status: 401, type: 'authentication_error', code: 'no_key' })
  })
})

/** The segment after one that waited: what was brought is committed, and the agent says its last word. */
function goOn(thread: readonly Message[], brought: readonly Message[]): ReturnType<typeof tell>['events'] {
  const open = thread.flatMap(({ id: message_id, content }) =>
    content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, message_id }] : [])),
  )
  const run = runWriter({
    runId: RUN.runId,
    history: thread,
    standing: { openCalls: open, state: { type: 'awaiting' } },
  })
  return [run.commit({ messages: brought }), run.text('Red it is.'), run.end()].flatMap(({ events }) => events)
}

test('the end mark closes a stream whose server is asked for one', () => {
  expect(bodyOf(tell(text).events, { done: true }).endsWith('data: [DONE]\n\n')).toBe(true)
  expect(bodyOf([factEvent({ type: 'run_started' })], { done: true }).match(/\[DONE\]/g)).toHaveLength(1)
})
