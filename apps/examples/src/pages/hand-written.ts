import type { ServerResponse } from 'node:http'

/** What most servers have today. */
export async function handWritten(tokens: AsyncIterable<string>, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for await (const token of tokens) response.write(`data: ${JSON.stringify({ type: 'text', text: token })}\n\n`)
  response.end('data: [DONE]\n\n')
}
