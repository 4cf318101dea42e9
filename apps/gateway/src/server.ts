/** Listens, with node's own bounds on what a connection may do, and goes away in order. */
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { application } from './app.ts'
import type { Gateway } from './gateway.ts'

export interface ServerOptions {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  readonly limits?: Partial<ServerLimits>
}

export interface ServerLimits {
  readonly headerBytes: number
  /** Connections of everybody. */
  readonly connections: number
  /** Milliseconds for the headers of a request, and for all of it. */
  readonly headersMs: number
  readonly requestMs: number
  /** Milliseconds for runs to end by themselves when the server is to stop; then they are stopped. */
  readonly drainMs: number
  /** Milliseconds for each thing that is left after that: runs that were stopped, what is being stored, the store itself. */
  readonly lastMs: number
}

export const defaultServerLimits: ServerLimits = {
  headerBytes: 16 * 1024,
  connections: 20_000,
  headersMs: 10_000,
  requestMs: 30_000,
  drainMs: 5000,
  lastMs: 3000,
}

export interface Listening {
  readonly url: string
  readonly port: number
  /** Says that it is not ready, lets runs come to an end, ends every stream between two frames, and settles when all is stored. */
  close(): Promise<void>
}

export async function listen(gateway: Gateway, { host, port, limits: given }: ServerOptions): Promise<Listening> {
  const limits = { ...defaultServerLimits, ...given }
  const app = application(gateway)
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    },
    (request, response) => void answer(request, response),
  )
  server.maxConnections = limits.connections
  server.keepAliveTimeout = 5000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port
  let closing: Promise<void> | undefined
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: () => (closing ??= close(server, gateway, limits)),
  }
}

async function close(server: Server, gateway: Gateway, { drainMs, lastMs }: ServerLimits): Promise<void> {
  const tenants = [...gateway.tenants.values()]
  gateway.drain()
  for (const { runs } of tenants) runs.stop()
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const quiet = Promise.all(tenants.map(async ({ runs }) => runs.segments.quiet()))
  if (!(await within(drainMs, quiet))) {
    // Half an answer is no whole one: on some wires the end of a run that was stopped looks like that of one that was done.
    const failure = { code: 'server_stopping', message: 'the server was told to stop' }
    const cause = { type: 'error', failure } as const
    for (const { hub, runs } of tenants) {
      for (const runId of runs.segments.active.keys()) await hub.ask(runId, cause).catch(gateway.onError)
    }
    await within(lastMs, quiet)
  }
  // A store that does not answer keeps nobody from going.
  await within(lastMs, Promise.all(tenants.map(async ({ hub }) => hub.close())).catch(gateway.onError))
  await within(lastMs, Promise.all(tenants.map(async ({ storage }) => storage.close())).catch(gateway.onError))
  // A connection that is kept alive would hold it open.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  if (!(await within(1000, closed))) server.closeAllConnections()
  clearInterval(idle)
}

/** Whether it was over in time. */
async function within(milliseconds: number, task: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds)
  })
  const isOver = await Promise.race([task.then(() => true), late])
  clearTimeout(timer)
  return isOver
}
