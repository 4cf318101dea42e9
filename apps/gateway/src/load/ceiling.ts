/** As little as a server can do for the same readers: node's own, which writes one shared buffer a word to everybody. */
import { createServer, type ServerResponse } from 'node:http'
import { answering, usage } from './children.ts'
import { rhythm } from './rhythm.ts'
import type { ServingQuestion } from './serving.ts'

const responses = new Set<ServerResponse>()
const server = createServer((request, response) => {
  if (request.method === 'POST') {
    response.setHeader('x-run-id', 'run-1')
    response.writeHead(202).end()
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  responses.add(response)
  response.on('close', () => responses.delete(response))
})
server.keepAliveTimeout = 60_000

const frame = (event: object, id: number): Buffer => Buffer.from(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`)

answering<ServingQuestion>(async (question) => {
  switch (question.type) {
    case 'listen': {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      return { port: typeof address === 'object' && address ? address.port : 0 }
    }
    case 'usage':
      return usage()
    case 'speak': {
      void rhythm(question, (delta, index) => {
        const bytes = frame({ event_type: 'text_delta', delta }, index)
        for (const response of responses) response.write(bytes)
      }).then(() => {
        const last = frame({ event_type: 'run_finish' }, question.perSecond * question.seconds)
        for (const response of responses) response.end(last)
      })
      return {}
    }
    default:
      return question satisfies never
  }
})
