/** A run's stream as a response, and what somebody gets who cannot have one. */
import type { Encodable, Message } from '@factwire/core'
import type { AttachedNothing, AttachOptions } from '@factwire/hub'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Incoming, nodesResponse } from './call.ts'
import type { Form } from './mount.ts'
import { type Outlet, outlet } from './outlet.ts'
import { Refused } from './refused.ts'
import type { Tenant } from './tenants.ts'

/** A stream that is being read already, or why there is none. */
export type Opened =
  | { readonly type: 'stream'; readonly headers: Readonly<Record<string, string>>; readonly outlet: Outlet }
  | AttachedNothing

export async function open<Frame, Options>(
  { hub }: Tenant,
  runId: string,
  protocol: Encodable<Frame, Options>,
  options: AttachOptions<NoInfer<Options>>,
): Promise<Opened> {
  const attached = await hub.attach(runId, protocol, options)
  return attached.type === 'stream' ? { type: 'stream', headers: attached.headers, outlet: outlet(attached) } : attached
}

/**
 * For a client that has brought results of its tools: it has them, and is not told of them. Where each request is a stream of its own, it
 * is told nothing of what was said before it either.
 */
export function having<Frame, Options>(
  protocol: Encodable<Frame, Options>,
  brought: readonly Message[],
  before: readonly Message[],
): Encodable<Frame, Options> {
  const alone = protocol.resume === 'none' && before.length > 0
  if (!alone && !brought.some(({ role }) => role === 'tool')) return protocol
  return {
    ...protocol,
    transcoder: (run, options, join) =>
      protocol.transcoder({ ...run, history: [...(alone ? before : (run.history ?? [])), ...brought] }, options, join),
  }
}

/** What asks to be asked again, in the words of server-sent events. */
export function comeBack(headers: Readonly<Record<string, string>> = {}): Response {
  return new Response('retry: 2000\n', {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', ...headers },
  })
}

export interface Streamed {
  readonly ids: Readonly<Record<string, string>>
  /** Whether the request has begun a run: sent again, it would begin another. */
  readonly hasBegun: boolean
  readonly form?: Form | undefined
}

/** @throws Refused where there is none. */
export function streamed(opened: Opened, incoming: Incoming, { ids, hasBegun, form }: Streamed): Response {
  switch (opened.type) {
    case 'stream': {
      const headers = { ...opened.headers, ...form?.headers, ...ids }
      const outgoing = nodesResponse(incoming)
      if (form) return new Response(form.body(opened.outlet.toWeb()), { headers })
      if (!outgoing) return new Response(opened.outlet.toWeb(), { headers })
      // No later layer can add anything to it.
      opened.outlet.toNode(outgoing, { ...headers, ...incoming.get('always') })
      return RESPONSE_ALREADY_SENT
    }
    case 'over':
      return new Response(null, { status: 204, headers: ids })
    case 'too_many_readers':
    case 'closed':
      throw new Refused(503, opened.type, opened.message, {
        headers: { ...ids, ...(hasBegun ? { 'x-should-retry': 'false' } : { 'retry-after': '2' }) },
      })
    case 'unknown_run':
      throw new Refused(404, 'unknown_run', 'there is no such run')
    case 'invalid_position':
      throw new Refused(400, opened.type, opened.message)
    case 'unknown_position':
      throw new Refused(409, opened.type, opened.message)
    default:
      return opened satisfies never
  }
}

export const idHeaders = (runId: string, threadId: string): Readonly<Record<string, string>> => ({
  'x-run-id': runId,
  'x-thread-id': threadId,
})
