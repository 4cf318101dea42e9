/** What a tenant's hub has done and holds, as Prometheus reads it. */
import type { Hono } from 'hono'
import type { Env } from '../call.ts'
import type { Connections } from '../connections.ts'
import type { Tenant } from '../tenants.ts'

/** Of the hub's numbers those that only grow; the others are what there is now. */
const GROWING: ReadonlySet<string> = new Set([
  'deliveries',
  'deliveredBytes',
  'commits',
  'deltas',
  'deltasSkipped',
  'catchUpBytes',
  'factsBehind',
  'fellBehind',
  'cameBack',
  'blockedEnded',
  'reaped',
  'fenced',
  'storeFailures',
])

export function metricRoutes(app: Hono<Env>, connections: Connections): void {
  app.get('/metrics', (incoming) => {
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' }
    return new Response(exposition(incoming.get('tenant'), connections), { headers })
  })
}

function exposition({ hub, runs, name }: Tenant, connections: Connections): string {
  const { limits, ...numbers } = hub.metrics()
  const tenant = `{tenant="${name}"}`
  const lines: string[] = []
  const add = (metric: string, type: string, value: number): void => {
    lines.push(`# TYPE ${metric} ${type}`, `${metric}${tenant} ${value}`)
  }
  for (const [key, value] of Object.entries(numbers)) {
    if (GROWING.has(key)) add(`factwire_hub_${snake(key)}_total`, 'counter', value)
    else add(`factwire_hub_${snake(key)}`, 'gauge', value)
  }
  for (const [key, value] of Object.entries(limits)) {
    if (typeof value === 'number') add(`factwire_hub_limit_${snake(key)}`, 'gauge', value)
  }
  add('factwire_runs_active', 'gauge', runs.segments.active.size)
  add('factwire_connections', 'gauge', connections.count(name))
  return `${lines.join('\n')}\n`
}

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
