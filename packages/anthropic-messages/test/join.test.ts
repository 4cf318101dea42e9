/** What who joins is told of calls that have their results by now. */
import type { Committed, Message } from '@factwire/core'
import { expect, test } from 'vitest'
import { transcoder } from '../src/index.ts'
import { RUN } from './scene.ts'

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

function toldTo(dispositions: Committed['dispositions'], clientTools: readonly string[] = []): readonly string[] {
  const committed: Committed = {
    messages: [made, gone('a'), gone('b')],
    standing: { state: { type: 'running' }, openCalls: [] },
    ...(dispositions ? { dispositions } : {}),
  }
  const target = transcoder(RUN, { clientTools }, { committed, open: [] })
  return target.settled().flatMap((event) => {
    if (event.type !== 'content_block_start') return []
    const { content_block: block } = event
    return 'tool_use_id' in block ? [`of ${String(block.tool_use_id)}`] : 'id' in block ? [block.id] : []
  })
}

test('who joins late is told nothing of a call that was the client’s, and that somebody else has answered', () => {
  expect(toldTo([{ id: 'b', message_id: 'm', disposition: 'pending_client' }])).toEqual(['a', 'of a'])
})

test('a call of the agent is one, whatever it has in common with the client’s', () => {
  const both = ['a', 'b', 'of a', 'of b']
  expect(toldTo([], ['choose'])).toEqual(both)
  expect(toldTo([{ id: 'b', message_id: 'm', disposition: 'pending_builtin' }], ['choose'])).toEqual(both)
})
