/** One request on its way: who asks, what the framework knows of it, and how a handler answers. */
import type { Context } from 'hono'
import type { Call } from './mount.ts'
import type { Tenant } from './tenants.ts'

/** What earlier layers have found out. */
export interface Variables {
  /** Of this request: in every answer, and in the log. */
  readonly requestId: string
  readonly tenant: Tenant
}

export interface Env {
  readonly Variables: { -readonly [Key in keyof Variables]: Variables[Key] }
}

export type Incoming = Context<Env>

export const callOf = ({ req }: Incoming): Call => ({
  header: (name) => req.header(name),
  query: (name) => req.query(name),
  param: (name) => req.param(name),
})
