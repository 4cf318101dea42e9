/** A run of one's own: an agent with a tool, whose provider follows a script and breaks off where the script says so. */
import type { AgentEvent } from '@factwire/core'
import { history, openaiChat } from '@factwire/openai-chat'
import type { SceneName } from '@factwire/provider'
import { agent, eventStream, systemClock } from '@factwire/runtime'
import { readSse } from '@factwire/sse'
import { RUN } from './run.ts'

export function ownAgent(provider: string, scene: SceneName): AsyncIterable<AgentEvent> {
  const { run } = agent({
    model: {
      wire: openaiChat,
      messages: readSse,
      request: ({ messages }) => ({
        url: provider,
        body: { model: scene, stream: true, stream_options: { include_usage: true }, messages: history({ messages }) },
      }),
    },
    tools: [{ name: 'look_up', run: () => '11 °C' }],
    fetch,
    clock: systemClock,
    limits: { backoffMs: () => 20 },
    fold: { reasoning: 'text' },
  })
  const question = { id: 'question', role: 'user', content: [{ type: 'text', text: 'The weather?' }] } as const
  const thread = { messages: [], standing: { openCalls: [] } }
  // What was committed is all that somebody would keep.
  const store = (): Promise<void> => Promise.resolve()
  return eventStream((output) => run({ ...RUN, thread, messages: [question], output }), store).events
}
