/** A result of an earlier message, somebody else's, comes while the next message is written: that message stays whole. */
import { reader, type AgentEvent, type Fact, textOf, writer } from '@factwire/core'
import { expect, test } from 'vitest'
import { aiSdk } from '../src/index.ts'

const RUN = { threadId: 'thread', runId: 'run', history: [] }
const fact = (event: Fact): AgentEvent => ({ tier: 'fact', event })

const called = (message_id: string, id: string, at: number): readonly AgentEvent[] => [
  fact({ type: 'assistant_message', id: message_id, content: [{ type: 'text', text: `for ${id}` }] }),
  fact({ type: 'tool_call', id, name: 'look', input: { at }, disposition: 'pending_client', message_id }),
]
const answered = (id: string): AgentEvent =>
  fact({ type: 'tool_result', id, content: [{ type: 'text', text: 'seen' }], is_error: false, message_id: `of-${id}` })
const fragment = (args_delta: string): AgentEvent => ({
  tier: 'delta',
  event: { type: 'tool_call_delta', id: 'two', name: 'look', args_delta, message_id: 'second' },
})
const text = (delta: string): AgentEvent => ({
  tier: 'delta',
  event: { type: 'text_delta', delta, message_id: 'second' },
})

const WRITTEN = [text('for '), text('two'), fragment('{"at'), fragment('":2}')]

test.each(WRITTEN.map((_, index) => index + 1))(
  'a result behind fragment %i of the next message leaves it whole',
  (cut) => {
    const { push, close } = writer(aiSdk, RUN)
    const events = [
      fact({ type: 'run_started' }),
      ...called('first', 'one', 1),
      ...WRITTEN.slice(0, cut),
      answered('one'),
      ...WRITTEN.slice(cut),
      ...called('second', 'two', 2),
      answered('two'),
      fact({ type: 'run_finished', exhausted: false }),
    ]
    const sent = events.map((event) => push(event)).join('') + close()
    const messages = sent
      .split('\n\n')
      .filter((block) => block !== '')
      .map((block) => ({ data: block.slice(block.indexOf('data: ') + 6) }))

    const { push: receive, end } = reader(aiSdk)
    const read = [...messages.flatMap((message) => receive(message)), ...end()]

    const facts = read.flatMap(({ tier, event }) => (tier === 'fact' ? [event] : []))
    expect(facts.flatMap((one) => (one.type === 'assistant_message' ? [textOf(one.content)] : []))).toEqual([
      'for one',
      'for two',
    ])
    expect(facts.flatMap((one) => (one.type === 'tool_call' ? [one.input] : []))).toEqual([{ at: 1 }, { at: 2 }])
    expect(facts.at(-1)?.type).toBe('run_finished')
  },
)
