/** What a product does: reads the provider's chunks, and serves the run they are as the SSE wire. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AgentEvent, type RunContext, decode, writer } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { readSse, sse } from '@factwire/sse'

export interface RelayOptions {
  /** Where the provider is. */
  readonly provider: string
  /** How often an event comes through: 0 when it is lost, 2 when it is doubled. */
  readonly line: (event: AgentEvent) => number
  /** Told of each event, how often it came through, and the frames that it became. */
  readonly observe: (event: AgentEvent, copies: number, frames: string) => void
}

const RUN: RunContext = { threadId: 'thread-1', runId: 'run-1' }

export function relay(options: RelayOptions): Server {
  return createServer((_request, response) => void serve(response, options))
}

async function serve(response: ServerResponse, { provider, line, observe }: RelayOptions): Promise<void> {
  response.writeHead(200, { 'content-type': sse.framing.mediaType, ...sse.framing.headers })
  const answer = await fetch(provider, { method: 'POST', body: JSON.stringify({ model: 'demo-large', stream: true }) })
  const { push, close } = writer(sse, RUN)
  for await (const event of decode(openaiChat, readSse(answer), { reasoning: 'text' })) {
    const count = line(event)
    let frames = ''
    for (let copy = 0; copy < count; copy++) frames += push(event)
    observe(event, count, frames)
    if (frames && !response.write(frames)) await once(response, 'drain')
  }
  response.end(close())
}
