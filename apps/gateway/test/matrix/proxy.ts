/** What stands between a client and the server, and can be torn: a test sees what has passed, and cuts every connection. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'

export interface Proxy {
  readonly url: string
  /** Settles when the server has said that, over whichever connection. */
  passed(words: string): Promise<void>
  /** Every connection is gone, in the middle of whatever was said. */
  cut(): void
  wasCut(): boolean
  /** Settles when the server has begun to answer somebody who came after the cut. */
  answeredAgain(): Promise<void>
  close(): void
}

export async function proxy(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const waiting = new Set<() => void>()
  let said = ''
  let saidSince = ''
  let isCut = false

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    const since = isCut
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (bytes) => {
      client.write(bytes, () => {
        const words = bytes.toString('utf8')
        said += words
        if (since) saidSince += words
        for (const look of waiting) look()
      })
    })
    upstream.on('end', () => client.end())
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))

  function when(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  }

  function cut(): void {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: (words) => when(() => said.includes(words)),
    cut,
    wasCut: () => isCut,
    answeredAgain: () => when(() => saidSince !== ''),
    close() {
      cut()
      server.close()
    },
  }
}
