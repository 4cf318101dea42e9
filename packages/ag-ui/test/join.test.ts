import { type LiveRun, anyRun, context, disturb, groupsOf, joinAt, joinedFrames } from '@factwire/conformance'
import type { Message, RunContext } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { history } from '../src/history.ts'
import { transcoder } from '../src/transcoder.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { type ClientView, clientView } from './client.ts'

const earlier: readonly Message[] = [
  { id: 'user-1', role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  { id: 'old-1', role: 'assistant', content: [{ type: 'text', text: 'Hi. ' }] },
]
const withHistory: RunContext = { ...context, history: earlier }

function joined(run: LiveRun, position: number): AgUiEvent[] {
  const { committed, open } = joinAt(run, position)
  const messages = [...earlier, ...committed.messages]
  return joinedFrames(run, position, transcoder(withHistory, {}, { open, committed: { ...committed, messages } }))
}

/** What is said in the conversation. What others said while it ran, a live stream does not tell. */
const conversation = ({ messages }: ClientView): unknown =>
  messages
    .filter(({ id, role }) => role === 'assistant' || role === 'tool' || earlier.some((message) => message.id === id))
    .map((message) => ('content' in message && message.content === '' ? { ...message, content: undefined } : message))

test('a client that joins with nothing, or with all of it, has the thread before the run too, each message once', async () => {
  await fc.assert(
    fc.asyncProperty(anyRun(), fc.integer({ min: 0, max: 1000 }), fc.boolean(), async (run, at, everything) => {
      fc.pre(run.marked)
      const facts = groupsOf(disturb(run, { kind: 'none' }), transcoder(withHistory)).flat()
      const truth = await clientView(facts, history({ messages: earlier }))
      const position = 1 + Math.floor((at * (run.script.length - 1)) / 1000)
      const view = await clientView(joined(run, position), everything ? truth.messages : [])
      expect(view.rejected).toBeUndefined()
      expect(view.warnings).toEqual([])
      expect(conversation(view)).toEqual(conversation(truth))
    }),
    { seed: 20_261_130, numRuns: Number(process.env['FACTWIRE_RUNS'] ?? 60) },
  )
}, 600_000)
