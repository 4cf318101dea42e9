/** What a client of 0.0.59, whose results are text alone, is given of results that are more. */
import { type ContentBlock, type Delta, type Fact, deltaEvent, factEvent } from '@factwire/core'
import { groupsOf } from '@factwire/conformance'
import { expect, test } from 'vitest'
import { transcoder } from '../src/transcoder.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { clientView } from './client.ts'

const said: ContentBlock = { type: 'text', text: 'Found this:' }
const notes: ContentBlock = {
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'Milk\nBread' },
  title: 'Notes',
}
const hit: ContentBlock = {
  type: 'search_result',
  source: 'https://example.com',
  title: 'Example',
  content: [{ type: 'text', text: 'An example.' }],
}
const picture: ContentBlock = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }

/** A call with its result, then a message that is taken back, so that the client is given the conversation whole. */
function written(content: readonly ContentBlock[], takesBack: boolean): readonly AgUiEvent[] {
  const facts: readonly Fact[] = [
    { type: 'run_started' },
    { type: 'tool_call', id: 'c', name: 'search', input: {}, disposition: 'executed', message_id: 'm' },
    { type: 'tool_result', id: 'c', content, is_error: false, message_id: 't' },
    { type: 'step_ended', message_id: 'm' },
  ]
  const deltas: readonly Delta[] = [
    { type: 'text_delta', delta: 'not so' },
    { type: 'stream_reset', reason: 'lost' },
  ]
  const end: Fact = { type: 'run_finished', exhausted: false }
  const run = { threadId: 'thread-1', runId: 'run-1', history: [] }
  const events = [...facts.map(factEvent), ...(takesBack ? deltas.map(deltaEvent) : []), factEvent(end)]
  return groupsOf(events, transcoder(run, { target: '0.0.59' })).flat()
}

test.each<[string, readonly ContentBlock[], string]>([
  ['text beside a document', [said, notes], 'Found this:\nMilk\nBread'],
  ['a document alone', [notes], 'Milk\nBread'],
  ['two documents', [notes, hit, said], 'Milk\nBread\nExample\nhttps://example.com\nAn example.\nFound this:'],
  ['texts', [said, said], 'Found this:Found this:'],
  ['a picture', [said, picture], 'Found this:'],
])('of %s it has the text, as it comes and in a snapshot alike', async (_, content, text) => {
  for (const takesBack of [false, true]) {
    const { messages, warnings, rejected } = await clientView(written(content, takesBack), [], '0.0.59')
    expect({ warnings, rejected }).toEqual({ warnings: [], rejected: undefined })
    expect(messages.find(({ role }) => role === 'tool')?.content).toBe(text)
  }
})
