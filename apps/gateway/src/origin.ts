/**
 * Which names the server answers to, and which pages may ask. A page on another site can make a browser send requests to a loopback
 * address, under any name that its owner makes point there: neither is served.
 */
import { Refused } from './refused.ts'

export interface Allowed {
  /** Names that the server is called by, without port. Undefined: any, because somebody in front of it looks. */
  readonly hosts: readonly string[] | undefined
  /** Pages of other origins that may ask. */
  readonly origins: readonly string[]
}

export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** @throws Refused. Gives the origin of a page that may read the answer. */
export function checkOrigin({ hosts, origins }: Allowed, headers: Headers): string | undefined {
  const host = (headers.get('host') ?? '').toLowerCase()
  const name = host.replace(/:\d{1,5}$/, '')
  if (hosts && !hosts.includes(name)) throw new Refused(403, 'forbidden_host', 'this server is not called by that name')
  const origin = headers.get('origin')
  if (origin === null) return undefined
  if (origins.includes(origin)) return origin
  // Its own pages.
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined
  throw new Refused(403, 'forbidden_origin', 'pages of that origin may not ask here')
}

export function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-run-id, x-thread-id, x-request-id, location',
    vary: 'origin',
  }
}

export const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'authorization, content-type, last-event-id, idempotency-key, prefer, x-thread-id, x-api-key, anthropic-version',
  'access-control-max-age': '600',
}
