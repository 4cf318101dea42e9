import { type Json, type Pending, reader, writer } from '@factwire/core'
import { expect, test } from 'vitest'
import { sse } from '../src/index.ts'

/** The ticket, read into facts and written again, and whom the facts say that the run waits for. */
function again(ticket: Json): { readonly pending: readonly Pending[]; readonly ticket: unknown } {
  const frames = [
    { event_type: 'run_start', thread_id: 't', run_id: 'r' },
    { event_type: 'step_start', message_id: 'm' },
    { event_type: 'tool_call_ready', id: 'c1', name: 'rm', arguments: { path: '/x', force: true } },
    {
      event_type: 'tool_call_done',
      id: 'c1',
      message_id: '',
      result: { tool_name: 'rm', status: 'pending', data: null, message: null, suspension: ticket },
      outcome: 'suspended',
    },
    { event_type: 'step_end' },
    { event_type: 'run_finish', thread_id: 't', run_id: 'r', termination: { type: 'suspended' } },
  ]
  const read = reader(sse)
  const events = frames.flatMap((frame) => read.push({ data: JSON.stringify(frame) }))
  const awaiting = events.findLast(({ event }) => event.type === 'awaiting')?.event
  const { push } = writer(sse, { threadId: 't', runId: 'r' })
  const lines = events.map(push).join('').split('\n')
  const done = lines.find((line) => line.includes('tool_call_done'))
  return {
    pending: awaiting?.type === 'awaiting' ? (awaiting.pending ?? []) : [],
    ticket: done && JSON.parse(done.slice(done.indexOf('{'))).result.suspension,
  }
}

const suspension = {
  id: 'perm-c1',
  action: 'tool:PermissionConfirm',
  message: 'run rm?',
  parameters: { path: '/x' },
  response_schema: { type: 'object' },
}
const permission: Json = {
  suspension,
  pending: { id: 'perm-c1', name: 'permission_confirm', arguments: { path: '/x' } },
  resume_mode: 'replay_tool_call',
}
const frontend: Json = {
  suspension: { id: 'c1', action: 'tool:rm' },
  pending: { id: 'c1', name: 'rm', arguments: { path: '/x', force: true } },
  resume_mode: 'use_decision_as_tool_result',
}

test.each<[string, Json]>([
  ['for an approval', permission],
  ['for a tool of the client', frontend],
])('a ticket %s survives facts', (_, ticket) => {
  expect(again(ticket).ticket).toEqual(ticket)
})

test('what is lost of a ticket is what the facts have no place for', () => {
  const told = { ...permission, resume_mode: 'pass_decision_to_tool', suspension: { ...suspension, action: 'ask' } }
  expect(again(told)).toEqual({
    ticket: permission,
    pending: [
      {
        tool_use_id: 'c1',
        kind: 'approval',
        approval_id: 'perm-c1',
        message: 'run rm?',
        parameters: { path: '/x' },
        response_schema: { type: 'object' },
      },
    ],
  })
})
