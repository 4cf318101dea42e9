/** What who joins is told of calls that have their results by now. */
import type { Committed, Disposition, Message } from '@factwire/core'
import { expect, test } from 'vitest'
import { transcoder, type WrittenFrame } from '../src/index.ts'

const made: Message = {
  id: 'm',
  role: 'assistant',
  content: [
    { type: 'tool_use', id: 'a', name: 'look_up', input: {} },
    { type: 'tool_use', id: 'b', name: 'choose', input: {} },
  ],
}
const gone = (id: string): Message => ({
  id: `tool-${id}`,
  role: 'tool',
  content: [{ type: 'tool_result', tool_use_id: id, is_error: true, content: [{ type: 'text', text: 'gone' }] }],
})

function toldTo(dispositions: Committed['dispositions']): readonly unknown[] {
  const target = transcoder(
    { threadId: 't', runId: 'r' },
    { clientTools: ['choose'] },
    {
      committed: {
        messages: [made, gone('a'), gone('b')],
        standing: { state: { type: 'ended', cause: { type: 'natural_end' } }, openCalls: [] },
        ...(dispositions ? { dispositions } : {}),
      },
      open: [],
    },
  )
  return [...target.settled()].flatMap((frame: WrittenFrame) =>
    typeof frame !== 'string' && frame.type === 'response.output_item.done' && 'name' in frame.item
      ? [[frame.item.type, frame.item.name]]
      : [],
  )
}

const told = (disposition: Disposition): Committed['dispositions'] => [{ id: 'b', message_id: 'm', disposition }]

test('who joins late is told nothing of a call that was the client’s, and that somebody else has answered', () => {
  expect(toldTo(told('pending_client'))).toEqual([['mcp_call', 'look_up']])
})

test('a call of the agent is one, whatever it has in common with the client’s', () => {
  const both = [
    ['mcp_call', 'look_up'],
    ['mcp_call', 'choose'],
  ]
  expect(toldTo([])).toEqual(both)
  expect(toldTo(told('pending_builtin'))).toEqual(both)
})
