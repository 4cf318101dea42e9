/** What a product does: serves one run on every wire that its clients speak. */
import { createServer, type Server } from 'node:http'
import type { Moment } from './run.ts'
import { wires } from './wires.ts'

export function relay(run: AsyncIterable<Moment>): Server {
  return createServer((request, response) => {
    request.resume()
    const wire = wires.find(({ base }) => request.url?.startsWith(base))
    if (wire) void wire.serve(response, run)
    else response.writeHead(404).end()
  })
}
