/** Lines of JSON about what happened. Only the fields that stand here can be said: no bodies, headers, addresses or keys. */

export interface LogEntry {
  readonly event: 'request' | 'error' | 'listening' | 'draining' | 'stopped' | 'run'
  readonly request_id?: string
  readonly method?: string
  /** The pattern of the route, never the path. */
  readonly route?: string
  readonly status?: number
  readonly ms?: number
  readonly port?: number
  /** Of an error: its class and code, never its words, which may hold what a client sent. */
  readonly error?: string
  readonly code?: string
}

export type Log = (entry: LogEntry) => void

export const jsonLog =
  (write: (line: string) => void): Log =>
  ({ event, request_id, method, route, status, ms, port, error, code }) =>
    write(
      `${JSON.stringify({ time: new Date().toISOString(), event, request_id, method, route, status, ms, port, error, code })}\n`,
    )

export const noLog: Log = () => undefined

/** What may be said of an error. */
export function errorEntry(error: unknown): LogEntry {
  const name = error instanceof Error ? error.name : typeof error
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { event: 'error', error: name, ...(code === undefined || !/^\w{1,64}$/.test(code) ? {} : { code }) }
}
