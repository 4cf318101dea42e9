/** The audit log: what `classify` sends there, read off the stored runs. An observation: nothing rebuilds a run from it. */
import { type AuditRecord, auditRecord, factEvent } from '@factwire/core'
import type { RunRecord, StoredStep } from '@factwire/hub'
import type { Hono } from 'hono'
import type { Env } from '../call.ts'
import { json } from '../problem.ts'
import type { Timed } from '../storage.ts'
import type { Tenant } from '../tenants.ts'
import { stepsOf } from '../thread.ts'
import { pageOf } from './runs.ts'

export function auditRoutes(app: Hono<Env>): void {
  /** Runs from the newest on, so many a page; the records of each in their order. */
  app.get('/v1/audit', async (incoming) => {
    const tenant = incoming.get('tenant')
    const [run, thread, before] = ['run', 'thread', 'before'].map((name) => incoming.req.query(name))
    if (run !== undefined) return json({ items: await recordsOf(tenant, await tenant.runs.find(run)), next: null })
    const limit = pageOf(incoming)
    const found = await tenant.storage.runs({
      ...(thread === undefined ? {} : { thread }),
      ...(before === undefined ? {} : { before }),
      limit: limit + 1,
    })
    const runs = found.slice(0, limit)
    const items: AuditRecord[] = []
    for (const record of runs) items.push(...(await recordsOf(tenant, record)))
    return json({ items, next: found.length > limit ? (runs.at(-1)?.run.runId ?? null) : null })
  })
}

async function recordsOf({ storage }: Tenant, { run }: RunRecord): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = []
  for await (const step of stepsOf(storage.facts, run.runId)) {
    for (const { fact } of step.facts) {
      const record = auditRecord(factEvent(fact), run, timeOf(step) ?? run.startedAt ?? 0)
      if (record) records.push(record)
    }
  }
  return records
}

const timeOf = (step: StoredStep & Partial<Timed>): number | undefined => step.at
