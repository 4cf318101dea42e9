/** Connections of tenants: each counts for the one that asked on it last, until it is closed. */
import type { EventEmitter } from 'node:events'

/** What is needed of a socket. */
export type Connection = Pick<EventEmitter, 'once'>

export interface Connections {
  /** Counts it, unless the tenant has as many as it may have; then false. */
  admit(connection: Connection, tenant: string): boolean
  count(tenant: string): number
}

export function connections(most: number): Connections {
  const counts = new Map<string, number>()
  const owners = new WeakMap<Connection, string>()
  const count = (tenant: string): number => counts.get(tenant) ?? 0

  function letGo(connection: Connection): void {
    const owner = owners.get(connection)
    owners.delete(connection)
    if (owner !== undefined) counts.set(owner, count(owner) - 1)
  }

  return {
    count,
    admit(connection, tenant) {
      if (owners.get(connection) === tenant) return true
      if (count(tenant) >= most) return false
      if (!owners.has(connection)) connection.once('close', () => letGo(connection))
      letGo(connection)
      owners.set(connection, tenant)
      counts.set(tenant, count(tenant) + 1)
      return true
    },
  }
}
