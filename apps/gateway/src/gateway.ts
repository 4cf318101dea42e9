/** The gateway as a whole: what a configuration makes of it, before anything listens. */
import type { Limits } from '@factwire/hub'
import type { Tool } from '@factwire/runtime'
import { agents } from './agents.ts'
import type { BodyLimits } from './body.ts'
import { type Connections, connections } from './connections.ts'
import { valuesIn } from './folder.ts'
import { errorEntry, type Log, noLog } from './log.ts'
import type { Mount } from './mount.ts'
import type { Allowed } from './origin.ts'
import { LOOPBACK } from './origin.ts'
import type { Storage } from './storage.ts'
import { type Tenant, tenant } from './tenants.ts'
import { forgetfulTickets, type TicketMemory, type Tickets, tickets } from './tickets.ts'
import { type Access, access, LOCAL, type TokenEntry } from './tokens.ts'
import type { Upstream } from './upstream.ts'

export interface Gateway {
  readonly mounts: readonly Mount[]
  readonly access: Access
  readonly tickets: Tickets
  readonly tenants: ReadonlyMap<string, Tenant>
  readonly allowed: Allowed
  readonly body: BodyLimits
  readonly connections: Connections
  readonly log: Log
  isDraining(): boolean
  /** From now on it says that it is not ready. */
  drain(): void
  onError(error: unknown): void
}

export interface GatewayOptions {
  readonly upstream: Upstream
  readonly tools?: readonly Tool[]
  readonly instructions?: string
  /** None: everybody is the one tenant there is. */
  readonly tokens?: readonly TokenEntry[]
  /** Names that the server is called by, beside those of the loopback. `*` is any. */
  readonly hosts?: readonly string[]
  readonly origins?: readonly string[]
  readonly limits?: Partial<GatewayLimits>
  readonly hub?: Partial<Limits>
  readonly log?: Log
  /** Mounts of the host, beside those that are here. */
  readonly mounts?: readonly Mount[]
  /** What the runs of a tenant are kept in. */
  storage(tenant: string): Promise<Storage>
  /** What tickets are kept in. Default: they are good as long as the process is there. */
  tickets?(): Promise<TicketMemory>
}

export interface GatewayLimits {
  readonly bodyBytes: number
  readonly depth: number
  /** Streams of one tenant. */
  readonly readers: number
  /** Runs of one tenant that are written at once. */
  readonly runs: number
  /** Connections of one tenant: less than there may be of everybody. */
  readonly tenantConnections: number
}

export const defaultGatewayLimits: GatewayLimits = {
  bodyBytes: 1024 * 1024,
  depth: 64,
  readers: 10_000,
  runs: 1000,
  tenantConnections: 15_000,
}

export const bodyLimitsOf = ({ body }: Gateway): BodyLimits => body

export async function gateway(options: GatewayOptions): Promise<Gateway> {
  const {
    upstream,
    tools = [],
    instructions,
    tokens = [],
    hosts = [],
    origins = [],
    log = noLog,
    mounts = [],
    storage,
  } = options
  const limits = { ...defaultGatewayLimits, ...options.limits }
  const speaking = agents({ upstream, tools, ...(instructions === undefined ? {} : { instructions }) })
  const onError = (error: unknown): void => log(errorEntry(error))
  const names = tokens.length === 0 ? [LOCAL] : [...new Set(tokens.map((entry) => entry.tenant))]
  const tenants = new Map<string, Tenant>()
  for (const name of names) {
    const hub = { readers: limits.readers, readersPerRun: limits.readers, ...options.hub }
    const rest = { agents: speaking, limits: hub, mostRuns: limits.runs, onError }
    tenants.set(name, tenant(name, { storage: await storage(name), ...rest }))
  }
  let draining = false
  return {
    mounts: [...(await valuesIn<Mount>(new URL('./mounts/', import.meta.url), 'mount')).values(), ...mounts],
    access: access(tokens),
    // Behind the storage: who has that has this.
    tickets: tickets((await options.tickets?.()) ?? forgetfulTickets()),
    tenants,
    allowed: {
      hosts: hosts.includes('*') ? undefined : [...LOOPBACK, ...hosts.map((host) => host.toLowerCase())],
      origins,
    },
    body: { bytes: limits.bodyBytes, depth: limits.depth },
    connections: connections(limits.tenantConnections),
    log,
    isDraining: () => draining,
    drain() {
      draining = true
    },
    onError,
  }
}
