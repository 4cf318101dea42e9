/** Makes the run that was planned: the deltas of each step, its commits, and an end. */
import { type Commit, type Message, type Pending, type RunContext, type Standing, endRun, fold } from '@factwire/core'
import { streamed } from './fragments.ts'
import { messageOf, resultOf } from './message.ts'
import type { CallPlan, EndPlan, StepPlan } from './plan.ts'
import type { LiveRun, ScriptItem } from './run.ts'

export const context: RunContext = { threadId: 'thread-1', runId: 'run-1' }

export interface BuildOptions {
  readonly marked: boolean
  readonly partial?: boolean
  readonly repeatIds?: boolean
  readonly before?: Standing
  /** What the first commit holds. */
  readonly messages?: readonly Message[]
  /** Number of the first step. */
  readonly from?: number
}

export function build(steps: readonly StepPlan[], end: EndPlan, options: BuildOptions): LiveRun {
  const { marked, partial = false, repeatIds = false, before = { openCalls: [] }, messages = [], from = 0 } = options
  const script: ScriptItem[] = []
  let standing = before
  const commit = (item: Commit): void => {
    script.push({ commit: item })
    standing = fold(item, standing).after
  }
  commit({ messages, state: { type: 'running' } })
  let pending: Pending[] = []

  steps.forEach((given, position) => {
    const number = from + position
    const last = position === steps.length - 1
    const step = last && 'awaiting' in end ? withClientTool(given) : given
    const id = `run-1-assistant-${number}`
    const calls = step.parts
      .filter((part) => part.kind === 'call')
      .map((part, index) => ({ part, id: repeatIds ? `c${index}` : `c${number}-${index}` }))
    const committed = calls.filter(({ part }) => !part.cancelled)
    const callId = (part: CallPlan): string => calls.find((call) => call.part === part)?.id ?? ''

    if (step.reset) {
      script.push(...streamed(step, `${id}-try`, (part) => `${callId(part)}-try`, marked).map((delta) => ({ delta })))
      script.push({ delta: { type: 'stream_reset', reason: 'connection reset' } })
    }
    script.push(...streamed(step, id, callId, marked).map((delta) => ({ delta })))
    for (const { part, id: call } of calls) {
      if (part.cancelled)
        script.push({ delta: { type: 'tool_call_cancelled', id: call, name: part.name, reason: 'lost' } })
    }

    const message = messageOf(step, id, callId)
    if (last && 'cause' in end && partial) {
      commit(endRun(standing, end.cause, message))
      return
    }
    pending =
      last && 'awaiting' in end
        ? committed
            .filter(({ part }) => part.pending !== 'no')
            .map(({ part, id: call }) => ({
              tool_use_id: call,
              kind: part.pending === 'client' ? 'client' : 'approval',
              ...(part.pending === 'approval' ? { approval_id: `perm-${call}`, message: 'may I?' } : {}),
            }))
        : []
    commit({
      messages: [message],
      state: { type: 'running' },
      ...(pending.length > 0 ? { pending } : {}),
      ...(step.inference
        ? {
            inference: {
              model: 'm-large',
              usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
              duration_ms: 12 + number,
            },
          }
        : {}),
    })
    const ran = committed.filter(({ id: call }) => !pending.some((entry) => entry.tool_use_id === call))
    for (const { part, id: call } of ran) {
      if (part.result.output) {
        script.push({ delta: { type: 'tool_output_delta', id: call, name: part.name, delta: part.result.output } })
      }
    }
    const results = (step.reverseResults ? ran.toReversed() : ran).map(({ part, id: call }) =>
      resultOf(part.result, call),
    )
    const extra = step.snapshot === undefined ? {} : { snapshot: step.snapshot }
    if (step.oneResultMessage && results.length > 0) {
      commit({
        messages: [{ id: `tool-${id}`, role: 'tool', content: results }],
        state: { type: 'running' },
        ...extra,
      })
    } else {
      results.forEach((result, index) => {
        commit({
          messages: [{ id: `tool-${result.tool_use_id}`, role: 'tool', content: [result] }],
          state: { type: 'running' },
          ...(index === results.length - 1 ? extra : {}),
        })
      })
    }
  })

  if (standing.state?.type === 'running') {
    if ('cause' in end) commit(endRun(standing, end.cause))
    else commit({ messages: [], state: { type: 'awaiting' }, pending })
  }
  const resets = steps.some((step) => step.reset || step.parts.some(isCancelled))
  return { run: context, script, marked, resets, before, after: standing }
}

/** The tool that the client brought; every other is the agent's own. */
export const CLIENT_TOOL = 'ask_user'

/** Calls that wait for the client are calls of its tool. */
function withClientTool(step: StepPlan): StepPlan {
  const parts = step.parts.map((part) =>
    part.kind === 'call' && part.pending === 'client' ? { ...part, name: CLIENT_TOOL } : part,
  )
  return { ...step, parts }
}

const isCancelled = (part: StepPlan['parts'][number]): boolean => part.kind === 'call' && part.cancelled
