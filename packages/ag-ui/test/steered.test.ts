/** What is said to a run that goes on stays in the conversation when a snapshot repairs it. */
import {
  type AgentEvent,
  type Commit,
  type Delta,
  type Message,
  type Standing,
  deltaEvent,
  factEvent,
  fold,
} from '@factwire/core'
import { groupsOf } from '@factwire/conformance'
import { expect, test } from 'vitest'
import { transcoder } from '../src/index.ts'
import { history } from '../src/history.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { clientView } from './client.ts'

const message = (id: string, role: Message['role'], text: string): Message => ({
  id,
  role,
  content: [{ type: 'text', text }],
})
const asked = message('u-1', 'user', 'Go.')
const steered = message('u-2', 'user', 'And be brief.')
const ruled = message('s-1', 'system', 'No lists.')

function written(script: readonly (Partial<Commit> | Delta)[]): readonly AgUiEvent[] {
  let standing: Standing = { openCalls: [] }
  const events = script.flatMap((item): AgentEvent[] => {
    if ('type' in item) return [deltaEvent(item)]
    const folded = fold({ messages: [], state: { type: 'running' }, ...item }, standing)
    standing = folded.after
    return folded.facts.map(factEvent)
  })
  return groupsOf(events, transcoder({ threadId: 'thread-1', runId: 'run-1', history: [asked] })).flat()
}

const end: Partial<Commit> = { state: { type: 'ended', cause: { type: 'natural_end' } } }
const continuation = { steered: true, detail: { from: 'the page' } }

const said: Partial<Commit> = { messages: [steered, ruled], continuation }

/** Something is said, the answer to it is taken back and given again. */
const script: readonly (Partial<Commit> | Delta)[] = [
  {},
  { messages: [message('m-1', 'assistant', 'Well, ')] },
  said,
  { type: 'text_delta', delta: 'Not so', message_id: 'm-2-try', offset: 0 },
  { type: 'stream_reset', reason: 'lost' },
  { messages: [message('m-2', 'assistant', 'Done.')] },
  end,
]

test('who said it keeps it', async () => {
  // It is at the end here from the moment when it was sent.
  const before = history({ messages: [asked, steered, ruled] })
  const { messages, warnings, rejected } = await clientView(written(script), before)
  expect({ warnings, rejected }).toEqual({ warnings: [], rejected: undefined })
  expect(messages.map(({ id }) => id)).toEqual(['u-1', 'u-2', 's-1', 'm-1', 'm-2'])
})

test('who did not say it is given it in its place', async () => {
  const { messages, warnings } = await clientView(written(script), history({ messages: [asked] }))
  expect(warnings).toEqual([])
  expect(messages.map(({ id, content }) => [id, content])).toEqual([
    ['u-1', 'Go.'],
    ['m-1', 'Well, '],
    ['u-2', 'And be brief.'],
    ['s-1', 'No lists.'],
    ['m-2', 'Done.'],
  ])
})

test('no message of the run is given the id of what was said', () => {
  const events = written([
    {},
    { messages: [message('m-1', 'user', 'Hm?')], continuation },
    { messages: [message('m-1', 'assistant', 'A')] },
    end,
  ])
  expect(events.find(({ type }) => type === 'TEXT_MESSAGE_START')).toMatchObject({ messageId: 'm-1-2' })
})
