import { auditRecord, type Classification, classify, type Fact } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentEvent, deltasByType } from './arbitraries.ts'

const ROUTES: { readonly [Type in Fact['type']]: Omit<Classification, 'tier'> } = {
  run_started: { live: true, audit: true },
  assistant_message: { live: false, audit: false },
  assistant_thinking: { live: false, audit: false },
  tool_call: { live: false, audit: false },
  tool_result: { live: false, audit: false },
  awaiting: { live: false, audit: true },
  continuation: { live: false, audit: true },
  run_finished: { live: false, audit: true },
  run_failed: { live: false, audit: true },
  step_ended: { live: false, audit: false },
  inference_completed: { live: false, audit: false },
  state_snapshot: { live: false, audit: false },
  activity_snapshot: { live: false, audit: false },
}

test.each(Object.entries(ROUTES))('routes every %s to %j', (type, route) => {
  const events = agentEvent.filter(({ event }) => event.type === type)
  fc.assert(
    fc.property(events, (event) => {
      expect(classify(event)).toStrictEqual({ tier: 'fact', ...route })
    }),
    { seed: 1, numRuns: 20 },
  )
})

test.each(Object.keys(deltasByType))('shows every %s live and never audits it', (type) => {
  const events = agentEvent.filter(({ event }) => event.type === type)
  fc.assert(
    fc.property(events, (event) => {
      expect(classify(event)).toStrictEqual({ tier: 'delta', live: true, audit: false })
    }),
    { seed: 1, numRuns: 20 },
  )
})

test('makes an audit record of exactly what it sends to the audit log', () => {
  const run = { threadId: 'th', runId: 'ru', agentId: 'agent' }
  fc.assert(
    fc.property(agentEvent, (event) => {
      const { audit } = classify(event)
      expect(auditRecord(event, run, 1700)).toStrictEqual(
        audit ? { thread_id: 'th', run_id: 'ru', at: 1700, event: event.event } : undefined,
      )
    }),
    { seed: 1, numRuns: 300 },
  )
})
