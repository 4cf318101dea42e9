/** Who asks: bearer tokens, each of one tenant, and tickets, which open the events of one run for a short time. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A token is kept as its SHA-256, in hexadecimal. */
export interface TokenEntry {
  readonly tenant: string
  readonly sha256: string
}

export interface Access {
  /** The tenant of an `Authorization` header. */
  tenantOf(authorization: string | undefined): string | undefined
  /** A ticket for the events of one run: an `EventSource` cannot send headers. */
  ticket(tenant: string, runId: string, until: number): string
  /** The tenant of a ticket that is good for that run at that time. */
  ticketTenant(ticket: string, runId: string, now: number): string | undefined
}

/** The one there is where no token is configured. */
export const LOCAL = 'local'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

export const sha256 = (token: string): string => digest(token).toString('hex')

export function access(entries: readonly TokenEntry[]): Access {
  const known = entries.map(({ tenant, sha256: hash }) => ({ tenant, hash: Buffer.from(hash, 'hex') }))
  // Tickets are good in the process that gave them.
  const key = randomBytes(32)
  const sign = (tenant: string, runId: string, until: number): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([tenant, runId, until]))
      .digest()

  return {
    tenantOf(authorization) {
      if (known.length === 0) return LOCAL
      const token = /^bearer ([\u0021-\u007e]+)$/i.exec(authorization ?? '')?.[1]
      if (token === undefined) return undefined
      const given = digest(token)
      // All of them are looked at, so that the time says nothing.
      return known.filter(({ hash }) => timingSafeEqual(hash, given)).at(0)?.tenant
    },
    ticket: (tenant, runId, until) => `${tenant}.${until}.${sign(tenant, runId, until).toString('base64url')}`,
    ticketTenant(ticket, runId, now) {
      const [, tenant = '', until = '', mac = ''] = /^([a-z0-9-]{1,64})\.(\d{1,15})\.([\w-]{43})$/.exec(ticket) ?? []
      const right = sign(tenant, runId, Number(until))
      const given = Buffer.from(mac, 'base64url')
      const isGood = given.length === right.length && timingSafeEqual(given, right)
      return isGood && now < Number(until) ? tenant : undefined
    },
  }
}
