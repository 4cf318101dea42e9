/** One request on its way: who asks, what the framework knows of it, and how a handler answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { Connection } from './connections.ts'
import type { Call } from './mount.ts'
import type { Tenant } from './tenants.ts'

/** What earlier layers have found out. */
export interface Variables {
  /** Of this request: in every answer, and in the log. */
  readonly requestId: string
  readonly tenant: Tenant
  /** Headers of every answer to it. */
  readonly always: Readonly<Record<string, string>>
}

export interface Env {
  /** Node's response, where the server is node's. */
  readonly Bindings: { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse }
  readonly Variables: { -readonly [Key in keyof Variables]: Variables[Key] }
}

export type Incoming = Context<Env>

export const callOf = ({ req }: Incoming): Call => ({
  header: (name) => req.header(name),
  query: (name) => req.query(name),
  param: (name) => req.param(name),
})

/** Undefined where somebody else's server asks. */
export const nodesResponse = ({ env }: Incoming): ServerResponse | undefined => given(env)?.outgoing

/** Undefined there too. */
export const connectionOf = ({ env }: Incoming): Connection | undefined => given(env)?.incoming?.socket

/** Whoever calls the application without bindings has none. */
const given = (bindings: Env['Bindings'] | undefined): Env['Bindings'] | undefined => bindings
