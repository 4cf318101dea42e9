/** `node apps/examples/dist/start.js <name>` starts one of the servers on the loopback. */
import { createServer, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { app as expressApp } from './express.ts'
import { app as honoApp } from './hono.ts'
import { handle } from './node-http.ts'
import { POST } from './route.ts'
import worker from './worker.ts'

/** Whatever answers requests the way of the web, behind node's server. */
function web(answer: (request: Request) => Response | Promise<Response>): RequestListener {
  const listener = getRequestListener(answer)
  return (request, response) => void listener(request, response)
}

const listeners: ReadonlyMap<string, RequestListener> = new Map([
  ['node-http', (request, response) => void handle(request, response)],
  ['express', expressApp],
  ['hono', web(honoApp.fetch)],
  ['route', web(POST)],
  ['worker', web(worker.fetch)],
])

const name = process.argv[2] ?? ''
const listener = listeners.get(name)
if (!listener) {
  console.error(`Name one of ${[...listeners.keys()].join(', ')}.`)
  process.exitCode = 2
} else {
  const port = Number(process.env['PORT'] ?? 3000)
  createServer(listener).listen(port, '127.0.0.1', () => console.log(`${name} on http://127.0.0.1:${port}`))
}
