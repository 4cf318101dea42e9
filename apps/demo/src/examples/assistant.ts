import type { Commit, Committed, RunRequest } from '@factwire/core'
import { history, openaiChat } from '@factwire/openai-chat'
import { type Agent, agent, eventStream, type Journal, systemClock } from '@factwire/runtime'
import { readSse, respond, sse } from '@factwire/sse'

/** An agent that may look freely, and removes only what somebody lets it remove. */
export function assistant(url: string, key: string, journal: Journal): Agent {
  return agent({
    model: {
      wire: openaiChat,
      messages: readSse,
      request: ({ messages, tools }) => ({
        url: `${url}/chat/completions`,
        headers: { authorization: `Bearer ${key}` },
        body: {
          model: 'm-large',
          stream: true,
          messages: history({ messages }),
          tools: tools.map((tool) => ({ type: 'function', function: tool })),
        },
      }),
    },
    tools: [
      { name: 'list_files', run: async () => ({ data: ['a.txt', 'b.txt'] }) },
      { name: 'remove_file', approval: true, run: async (input) => `removed ${JSON.stringify(input)}` },
    ],
    fetch,
    clock: systemClock,
    journal,
  })
}

/** Begins a run, or goes on with one that waits: where the thread stands says which. */
export function answer(
  { run }: Agent,
  { messages, decisions }: RunRequest,
  thread: Committed,
  store: (commit: Commit) => Promise<void>,
): Response {
  const ids = { threadId: 'thread-1', runId: 'run-1' }
  const { events } = eventStream((output) => run({ ...ids, thread, messages, decisions, output }), store)
  // The client has what it brought, and is not told of that again.
  return respond(sse, events, { ...ids, history: [...thread.messages, ...messages] })
}
