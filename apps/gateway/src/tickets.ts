/**
 * Tickets: each opens the events of one run, for a client that cannot send headers. A ticket has to be used soon. Then it is good for a
 * longer time, because an `EventSource` comes back by the address that it was given, also to a server that was started again.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export interface Tickets {
  give(tenant: string, runId: string, now: number): Ticket
  /** The tenant of a ticket that is good for that run at that time. */
  tenantOf(ticket: string, runId: string, now: number): Promise<string | undefined>
}

export interface Ticket {
  readonly token: string
  /** For how long it may be used for the first time. */
  readonly seconds: number
}

/** What has to outlive the process, if tickets are to. */
export interface TicketMemory {
  readonly key: Uint8Array
  /** Those that were used. */
  readonly used: readonly UsedTicket[]
  /** Settles when it is kept. */
  remember(ticket: UsedTicket): Promise<void>
}

export interface UsedTicket {
  readonly mac: string
  /** When it could not have been used for the first time any more. */
  readonly until: number
}

/** Milliseconds. */
const FIRST_USE = 60_000
export const LATER_USE = 12 * 60 * 60 * 1000
const MOST_REMEMBERED = 100_000

/** It goes with the process. */
export const forgetfulTickets = (): TicketMemory => ({
  key: randomBytes(32),
  used: [],
  remember: async () => undefined,
})

export function tickets({ key, used, remember }: TicketMemory): Tickets {
  const known = new Map(used.map(({ mac, until }) => [mac, until]))
  const sign = (tenant: string, runId: string, until: number): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([tenant, runId, until]))
      .digest()

  async function use(mac: string, until: number, now: number): Promise<void> {
    if (known.has(mac)) return
    known.set(mac, until)
    for (const [oldest, since] of known) {
      if (known.size <= MOST_REMEMBERED && now < since + LATER_USE) break
      known.delete(oldest)
    }
    await remember({ mac, until })
  }

  return {
    give(tenant, runId, now) {
      const until = now + FIRST_USE
      const token = `${tenant}.${until}.${sign(tenant, runId, until).toString('base64url')}`
      return { token, seconds: FIRST_USE / 1000 }
    },
    async tenantOf(ticket, runId, now) {
      const [, tenant = '', written = '', mac = ''] = /^([a-z0-9-]{1,64})\.(\d{1,15})\.([\w-]{43})$/.exec(ticket) ?? []
      const until = Number(written)
      const right = sign(tenant, runId, until)
      const given = Buffer.from(mac, 'base64url')
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      if (now < until) await use(mac, until, now)
      return known.has(mac) && now < until + LATER_USE ? tenant : undefined
    },
  }
}
