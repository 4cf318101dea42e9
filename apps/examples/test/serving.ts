/** Servers on the loopback for the time of a test, and what is said to them. */
import { createServer, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { parseFlat, readSse, reduce, type FlatEvent, type View } from '@factwire/sse'
import { listen, shut } from '../../demo/src/loopback.ts'

/** Serves while `work` goes on. */
export async function serving<Result>(
  listener: RequestListener,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(listener)
  try {
    return await work(await listen(server))
  } finally {
    shut(server)
  }
}

export async function viewOf(response: Response): Promise<View> {
  const events: FlatEvent[] = []
  for await (const { data } of readSse(response)) {
    const event = parseFlat(JSON.parse(data))
    if (event) events.push(event)
  }
  return reduce(events)
}

/** Whatever answers requests the way of the web, behind node's server. */
export function web(answer: (request: Request) => Response | Promise<Response>): RequestListener {
  const listener = getRequestListener(answer)
  return (request, response) => void listener(request, response)
}
