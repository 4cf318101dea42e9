/** Where an event goes: the one routing decision, and the audit record of what it routes to the audit log. */
import { match } from 'ts-pattern'
import type { AgentEvent, Fact } from './event.ts'
import type { RunContext } from './run.ts'

export interface Classification {
  readonly tier: 'fact' | 'delta'
  /** May be shown before its commit. Every fact is shown after it. */
  readonly live: boolean
  /** Belongs into the audit log. */
  readonly audit: boolean
}

const DELTA: Classification = { tier: 'delta', live: true, audit: false }
const START: Classification = { tier: 'fact', live: true, audit: true }
const COURSE: Classification = { tier: 'fact', live: false, audit: true }
/** Messages and state are the truth of these; an audit record would only repeat it. */
const CONTENT: Classification = { tier: 'fact', live: false, audit: false }

export function classify(event: AgentEvent): Classification {
  return event.tier === 'delta' ? DELTA : classifyFact(event.event)
}

function classifyFact(fact: Fact): Classification {
  return match(fact)
    .returnType<Classification>()
    .with({ type: 'run_started' }, () => START)
    .with(
      { type: 'awaiting' },
      { type: 'continuation' },
      { type: 'run_finished' },
      { type: 'run_failed' },
      () => COURSE,
    )
    .with(
      { type: 'assistant_message' },
      { type: 'assistant_thinking' },
      { type: 'tool_call' },
      { type: 'tool_result' },
      { type: 'step_ended' },
      { type: 'inference_completed' },
      { type: 'state_snapshot' },
      { type: 'activity_snapshot' },
      () => CONTENT,
    )
    .exhaustive()
}

/** One line of the audit log. An observation: nothing reads it to rebuild a run. */
export interface AuditRecord {
  readonly thread_id: string
  readonly run_id: string
  /** Unix time, milliseconds. */
  readonly at: number
  readonly event: Fact
}

/** The record of an event that `classify` sends to the audit log; undefined for every other. `at` is Unix time in ms. */
export function auditRecord(event: AgentEvent, run: RunContext, at: number): AuditRecord | undefined {
  if (event.tier === 'delta' || !classify(event).audit) return undefined
  return { thread_id: run.threadId, run_id: run.runId, at, event: event.event }
}
