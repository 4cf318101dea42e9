/** All routes behind one door: who may ask is decided here, before a body is read. */
import type { Json } from '@factwire/core'
import { Hono } from 'hono'
import { bodyLimitsOf, type Gateway } from './gateway.ts'
import { jsonOf } from './body.ts'
import { connectionOf, type Env, type Incoming, nodesResponse } from './call.ts'
import { freshId } from './ids.ts'
import type { Mount } from './mount.ts'
import { checkOrigin, corsHeaders, PREFLIGHT } from './origin.ts'
import { methodsFor, pathPattern } from './paths.ts'
import { type ErrorShape, json, problem } from './problem.ts'
import { isForAWhile, Refused, refusalOf } from './refused.ts'
import { auditRoutes } from './routes/audit.ts'
import { metricRoutes } from './routes/metrics.ts'
import { modelRoutes } from './routes/models.ts'
import { EVENTS, runRoutes, wireOf } from './routes/runs.ts'
import { threadRoutes } from './routes/threads.ts'
import * as mounted from './serve-mount.ts'
import { comeBack } from './streams.ts'

/** The events of a run. */
const WATCHED = /^\/v1\/runs\/([^/]+)\/events$/

export function application(gateway: Gateway): Hono<Env> {
  const { mounts, access, tenants, allowed, log } = gateway
  const app = new Hono<Env>()
  const wires = new Map(mounts.map((mount) => [mount.protocol.name, mount]))
  const body = (incoming: Incoming): Promise<Json> => jsonOf(incoming.req.raw, bodyLimitsOf(gateway))
  const shapes = shapesOf(mounts)
  const streams = [EVENTS, ...mounts.flatMap(({ reads = [] }) => reads.map(({ path }) => path))].map(pathPattern)

  app.use(async (incoming, next) => {
    const begun = performance.now()
    const requestId = freshId('request')
    incoming.set('requestId', requestId)
    let always: Readonly<Record<string, string>> = { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' }
    incoming.set('always', always)
    try {
      // Whoever looks after the server asks by its address.
      const origin = isHealth(incoming) ? undefined : checkOrigin(allowed, incoming.req.raw.headers)
      if (origin !== undefined) always = { ...always, ...corsHeaders(origin) }
      incoming.set('always', always)
      if (origin !== undefined && incoming.req.method === 'OPTIONS') {
        incoming.res = new Response(null, { status: 204, headers: PREFLIGHT })
        return
      }
      // A stream would be opened for nobody to read.
      if (incoming.req.method === 'HEAD' && streams.some((fits) => fits(incoming.req.path))) throw notServed(['GET'])
      if (!isHealth(incoming)) await letIn(incoming)
      if (gateway.isDraining() && incoming.req.method === 'POST') throw leaving()
      await next()
    } catch (error) {
      refuse(incoming, error)
    } finally {
      if (!nodesResponse(incoming)?.headersSent) {
        for (const [name, value] of Object.entries(always)) incoming.res.headers.set(name, value)
      }
      log({
        event: 'request',
        request_id: requestId,
        method: incoming.req.method,
        route: incoming.req.routePath,
        status: incoming.res.status,
        ms: Math.round(performance.now() - begun),
      })
    }
  })

  async function letIn(incoming: Incoming): Promise<void> {
    const { req } = incoming
    const [, watched] = WATCHED.exec(req.path) ?? []
    const ticket = req.query('access_token')
    const name =
      watched !== undefined && ticket !== undefined && req.method === 'GET'
        ? await gateway.tickets.tenantOf(ticket, decoded(watched), Date.now())
        : access.tenantOf(authorizationOf(req.raw.headers))
    const tenant = name === undefined ? undefined : tenants.get(name)
    if (!tenant) {
      const headers = { 'www-authenticate': 'Bearer' }
      throw new Refused(401, 'unauthorized', 'a bearer token is needed, of those that are configured', { headers })
    }
    const connection = connectionOf(incoming)
    if (connection && !gateway.connections.admit(connection, tenant.name)) throw tooMany()
    incoming.set('tenant', tenant)
  }

  function refuse(incoming: Incoming, error: unknown): void {
    const refusal = refusalOf(error)
    if (isForAWhile(refusal) && watchesAgain(incoming)) {
      incoming.res = comeBack(refusal.headers)
      return
    }
    if (refusal.status >= 500) gateway.onError(error)
    incoming.res = problem(refusal, incoming.get('requestId'), shapes(incoming.req.path))
  }

  /** Whether an `EventSource` may be asking: any status but 200 would end it for good. */
  function watchesAgain({ req }: Incoming): boolean {
    return (
      req.method === 'GET' &&
      WATCHED.test(req.path) &&
      (wires.get(wireOf(req.query('as')))?.protocol.resume ?? 'none') !== 'none'
    )
  }

  app.onError((error, incoming) => {
    refuse(incoming, error)
    return incoming.res
  })
  app.notFound((incoming) => {
    const methods = methodsOf(incoming.req.path)
    refuse(incoming, methods.length > 0 ? notServed(methods) : nothingAt(incoming.req.path))
    return incoming.res
  })

  app.get('/health/live', () => json({ status: 'ok' }))
  app.get('/health/ready', () =>
    gateway.isDraining() ? json({ status: 'draining' }, 503, { 'retry-after': '2' }) : json({ status: 'ok' }),
  )
  for (const mount of mounts) {
    for (const route of mount.starts) {
      app.post(route.path, async (incoming) => mounted.start(mount, route, incoming, await body(incoming)))
    }
    for (const route of mount.reads ?? []) app.get(route.path, async (incoming) => mounted.read(mount, route, incoming))
    for (const route of mount.cancels ?? []) app.post(route.path, async (incoming) => mounted.cancel(route, incoming))
  }
  runRoutes(app, { wires, body, tickets: gateway.tickets })
  threadRoutes(app, wires)
  auditRoutes(app)
  modelRoutes(app)
  metricRoutes(app, gateway.connections)
  const methodsOf = methodsFor(app.routes)
  return app
}

/** Some clients send their key by another name. */
function authorizationOf(headers: Headers): string | undefined {
  const key = headers.get('x-api-key')
  return headers.get('authorization') ?? (key === null ? undefined : `Bearer ${key}`)
}

/** As the router has it. What is no escape stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const isHealth = ({ req }: Incoming): boolean => req.path.startsWith('/health/')

const NOTHING = 'there is nothing at that address'

/** Clients of providers show `error.message`, and ask for much that is not served. */
function nothingAt(path: string): Refused {
  const error = { type: 'not_found_error', code: 'unknown_route', message: NOTHING }
  return new Refused(404, 'unknown_route', NOTHING, path.startsWith('/v1/') ? { more: { error } } : {})
}

const notServed = (methods: readonly string[]): Refused =>
  new Refused(405, 'method_not_allowed', `that address is for ${methods.join(' and ')}`, {
    headers: { allow: methods.join(', ') },
  })

const tooMany = (): Refused =>
  new Refused(429, 'too_many_connections', 'there are too many connections of this tenant', {
    headers: { 'retry-after': '5', connection: 'close' },
  })

const leaving = (): Refused =>
  new Refused(503, 'draining', 'this server is going away: ask again', { headers: { 'retry-after': '2' } })

/** Whose errors a path speaks: those of the wire that is mounted there. */
function shapesOf(mounts: readonly Mount[]): (path: string) => ErrorShape | undefined {
  const known = mounts.flatMap(({ protocol, starts, reads = [], cancels = [] }) =>
    [...starts, ...reads, ...cancels].map(({ path }) => ({ fits: pathPattern(path), protocol })),
  )
  return (path) => known.find(({ fits }) => fits(path))?.protocol
}
