/** The committed messages of a thread, in the shape of any wire that has one. */
import type { Committed, Json } from '@factwire/core'
import { saidIn } from '@factwire/runtime'
import type { Hono } from 'hono'
import { idsOf } from '../beginning.ts'
import { callOf, type Env } from '../call.ts'
import type { Mount } from '../mount.ts'
import { json } from '../problem.ts'
import { Refused } from '../refused.ts'
import { committedOf } from '../thread.ts'

export function threadRoutes(app: Hono<Env>, wires: ReadonlyMap<string, Mount>): void {
  app.get('/v1/threads/:id/messages', async (incoming) => {
    const name = incoming.req.query('as')
    const mount = name === undefined ? undefined : wires.get(name)
    const shape = mount?.history ?? mount?.protocol.history
    if (name !== undefined && !shape) {
      const able = [...wires].filter(([, { protocol }]) => protocol.history).map(([each]) => each)
      throw new Refused(400, 'unknown_wire', `as: expected one of ${able.join(', ')}`)
    }
    const { runs, storage } = incoming.get('tenant')
    const threadId = incoming.req.param('id')
    const last = await runs.lastOf(threadId)
    if (!last) throw new Refused(404, 'unknown_thread', 'there is no such thread')
    const committed = await committedOf(storage.facts, last)
    const { state } = committed.standing
    const has = idsOf(committed.messages)
    const said = (await saidIn(storage.journal)(last.run.runId)).filter(({ id }) => !has.has(id))
    const shown = (thread: Committed): unknown => (shape ? shape(thread, callOf(incoming)) : thread.messages)
    return json({
      thread_id: threadId,
      run_id: last.run.runId,
      status: state?.type ?? 'running',
      messages: shown(committed),
      // Heard once the run goes on: behind the results of what it waits for.
      said: shown({ messages: said, standing: { openCalls: [] } }),
      pending: (committed.pending ?? []) as unknown as Json,
    })
  })
}
