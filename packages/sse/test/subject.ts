/** The protocol as the kit judges it: its client is the fold of the same package, which was written without the encoder. */
import type { LiveRun, SeenCall, Subject } from '@factwire/conformance'
import type { Message } from '@factwire/core'
import { type FlatEvent, sse } from '../src/index.ts'
import { clientGlimpse, clientView } from './client.ts'

export const subject: Subject<FlatEvent> = {
  protocol: sse,
  view: clientView,
  glimpse: { shows: ['text', 'reasoning', 'calls', 'output', 'state', 'activities'], read: clientGlimpse },
  context: ({ run }, first) => (first ? { ...run, history: messagesOf(first) } : run),
  shows: (truth) => ({
    ...truth,
    turns: truth.turns.map((turn) => ({ ...turn, calls: turn.calls.map(shownCall) })),
  }),
}

function messagesOf({ script }: LiveRun): Message[] {
  return script.flatMap((item) => ('commit' in item ? item.commit.messages : []))
}

/** Arguments that are no JSON are null, and a value that says no more than the text is the text. */
function shownCall(whole: SeenCall): SeenCall {
  const { unparsed: _text, ...call } = whole
  if (!call.result) return call
  const { data, ...result } = call.result
  const more = data !== undefined && data !== null && data !== result.text
  return { ...call, result: more ? { ...result, data } : result }
}
