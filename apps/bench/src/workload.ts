/** Runs to be measured, as a producer gives them: all of a workload has come out of `JSON.parse`, as events do that came from afar. */
import { createHash } from 'node:crypto'
import { type AgentEvent, type Message, type RunContext, type RunWriter, runWriter, type Written } from '@factwire/core'
import { argumentFragments, prose, textFragments } from './fragments.ts'

export interface Workload {
  readonly name: string
  readonly context: RunContext
  readonly events: readonly AgentEvent[]
  /** Of the text of all events. */
  readonly hash: string
}

const CONTEXT: RunContext = { threadId: 'thread-1', runId: 'run-1', model: 'model-1', startedAt: 1_764_500_000_000 }

/** W1: one answer. */
export function textRun(count: number): Workload {
  return workload('text', CONTEXT, ({ text, end }) => [
    ...textFragments(count, 1).map((fragment) => text(fragment)),
    end(),
  ])
}

/** W2: the arguments of one call, which the client is to run, so that every wire shows them. */
export function argumentsRun(count: number): Workload {
  return workload('arguments', CONTEXT, ({ toolCall, await: wait }) => [
    ...argumentFragments(count, 2).map((fragment) => toolCall('call-1', 'edit_file', fragment, 'pending_client')),
    wait(),
  ])
}

/** W3: an agent at work, in 20 steps that each call a tool with a result of 1 to 20 KB, and an answer. */
export function mixedRun(scale = 1): Workload {
  const reasoning = textFragments(2000 * scale, 3)
  const texts = textFragments(5000 * scale, 4)
  const pieces = Array.from({ length: 1134 * scale }, (_, index) => index)
  const steps = 20 * scale
  return workload('mixed', CONTEXT, (writer) => {
    const written: Written[] = []
    for (let step = 0; step <= steps; step++) {
      written.push(...share(reasoning, step, steps).map((fragment) => writer.reasoning(fragment)))
      written.push(...share(texts, step, steps).map((fragment) => writer.text(fragment)))
      if (step === steps) break
      written.push(...call(writer, step, share(pieces, step, steps - 1).length, 1024 * (1 + (step % 20))))
    }
    written.push(writer.end())
    return written
  })
}

/** A long loop: of 100 events one is a result of 10 KB. */
export function agentLoop(count: number): Workload {
  return workload('agent loop', CONTEXT, (writer) => {
    const written: Written[] = []
    for (let step = 0; step < count / 100; step++) {
      written.push(...textFragments(60, step).map((fragment) => writer.text(fragment)))
      written.push(...call(writer, step, 34, 10_240))
    }
    written.push(writer.end())
    return written
  })
}

/** A short answer after a long talk: `count / 10` messages of 1 KB. */
export function afterHistory(count: number): Workload {
  const history = Array.from({ length: Math.round(count / 10) }, (_, index): Message => {
    const role = index % 2 === 0 ? 'user' : 'assistant'
    return { id: `message-${index}`, role, content: [{ type: 'text', text: prose(1024, index) }] }
  })
  return workload('history', { ...CONTEXT, history }, ({ text, end }) => [
    ...textFragments(500, 5).map((fragment) => text(fragment)),
    end(),
  ])
}

function workload(name: string, context: RunContext, tell: (writer: RunWriter) => readonly Written[]): Workload {
  const { runId, history } = context
  const written = tell(runWriter({ runId, reasoning: 'text', ...(history ? { history } : {}) }))
  const json = JSON.stringify(written.flatMap(({ events }) => events))
  const hash = createHash('sha256').update(json).digest('hex').slice(0, 12)
  return { name, context, events: JSON.parse(json) as AgentEvent[], hash }
}

function call({ toolCall, commit, toolResult }: RunWriter, step: number, pieces: number, size: number): Written[] {
  const id = `call-${step}`
  return [
    ...argumentFragments(pieces, 100 + step).map((fragment) => toolCall(id, 'edit_file', fragment)),
    commit({ inference: { model: 'model-1', duration_ms: 1200, usage: USAGE } }),
    toolResult(id, prose(size, step)),
  ]
}

const USAGE = {
  prompt_tokens: 1200,
  completion_tokens: 340,
  total_tokens: 1540,
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
  thinking_tokens: 0,
}

/** The part of a step when all are shared out evenly. */
function share<Item>(items: readonly Item[], step: number, last: number): Item[] {
  const border = (at: number): number => Math.floor((items.length * at) / (last + 1))
  return items.slice(border(step), border(step + 1))
}
