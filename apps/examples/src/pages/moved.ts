import type { ServerResponse } from 'node:http'
import { type AgentEvent, runWriter } from '@factwire/core'
import { sse, writeTo } from '@factwire/sse'

async function* events(tokens: AsyncIterable<string>, runId: string): AsyncGenerator<AgentEvent> {
  const run = runWriter({ runId })
  for await (const token of tokens) yield* run.text(token).events
  yield* run.end().events
}

export async function moved(tokens: AsyncIterable<string>, response: ServerResponse, runId: string): Promise<void> {
  await writeTo(response, sse, events(tokens, runId), { threadId: runId, runId })
}
