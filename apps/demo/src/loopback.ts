/** Servers on the own machine, at whatever port is free. */
import { once } from 'node:events'
import type { Server } from 'node:http'

/** Gives its address. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('a server on the loopback has a port')
  return `http://127.0.0.1:${address.port}`
}

export function shut(server: Server): void {
  server.close()
  server.closeAllConnections()
}
