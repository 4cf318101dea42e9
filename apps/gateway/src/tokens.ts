/** Who asks: bearer tokens, each of one tenant. */
import { createHash, timingSafeEqual } from 'node:crypto'

/** A token is kept as its SHA-256, in hexadecimal. */
export interface TokenEntry {
  readonly tenant: string
  readonly sha256: string
}

export interface Access {
  /** The tenant of an `Authorization` header. */
  tenantOf(authorization: string | undefined): string | undefined
}

/** The one there is where no token is configured. */
export const LOCAL = 'local'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

export const sha256 = (token: string): string => digest(token).toString('hex')

export function access(entries: readonly TokenEntry[]): Access {
  const known = entries.map(({ tenant, sha256: hash }) => ({ tenant, hash: Buffer.from(hash, 'hex') }))

  return {
    tenantOf(authorization) {
      if (known.length === 0) return LOCAL
      const token = /^bearer ([\u0021-\u007e]+)$/i.exec(authorization ?? '')?.[1]
      if (token === undefined) return undefined
      const given = digest(token)
      // All of them are looked at, so that the time says nothing.
      return known.filter(({ hash }) => timingSafeEqual(hash, given)).at(0)?.tenant
    },
  }
}
