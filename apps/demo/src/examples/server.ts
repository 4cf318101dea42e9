import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AgentEvent } from '@factwire/core'
import { sse, writeTo } from '@factwire/sse'

export function server(agent: (runId: string) => AsyncIterable<AgentEvent>): Server {
  return createServer((_request, response) => {
    const runId = randomUUID()
    void writeTo(response, sse, agent(runId), { threadId: 'thread-1', runId }, { onError: console.error })
  })
}
