/** One step of a planned run: the deltas of its message, and its commits. */
import type { Commit, Delta, Disposition, Inference, Message, Pending, ToolResultBlock } from '@factwire/core'
import type { Documents } from './documents.ts'
import { streamed } from './fragments.ts'
import { messageOf, refusalOf, resultOf } from './message.ts'
import type { CallPlan, Marks, PatchPlan, Repeats, StepPlan } from './plan.ts'

/** Who writes the run down. */
export interface Scribe {
  deltas(deltas: readonly Delta[]): void
  commit(commit: Omit<Commit, 'state'>): void
}

export interface StepOptions {
  readonly number: number
  readonly marks: Marks
  readonly repeats: Repeats
  /** Calls that are planned so wait for somebody. */
  readonly asks: boolean
  /** And the run waits for them. */
  readonly pends: boolean
  /** The run ends with its message: somebody else commits it. */
  readonly cutShort: boolean
}

export interface ToldStep {
  readonly message: Message
  readonly pending: readonly Pending[]
}

interface PlannedCall {
  readonly part: CallPlan
  readonly id: string
}

export function tellStep(step: StepPlan, scribe: Scribe, documents: Documents, options: StepOptions): ToldStep {
  const { number, marks, asks, pends, cutShort } = options
  const id = `run-1-assistant-${number}`
  const calls = callsOf(step, id, options)
  const callId = (part: CallPlan): string => calls.find((call) => call.part === part)?.id ?? ''
  const committed = calls.filter(({ part }) => !part.cancelled)
  const asked = committed.filter(({ part }) => waits(part))
  const ran = pends ? committed.filter((call) => !asked.includes(call)) : committed
  const atOnce = step.results === 'with their message' || ran.length === 0 || cutShort
  const pending = asks ? asked.map(pendingOf) : []
  const { steering } = step
  const among = steering?.among && !atOnce

  const dispositionOf = (part: CallPlan): Disposition | undefined => {
    if (!step.disposed) return undefined
    const waiting = pending.some((entry) => entry.tool_use_id === callId(part))
    if (!waiting) return 'executed'
    return part.pending === 'client' ? 'pending_client' : 'pending_builtin'
  }
  const patch = (plans: readonly PatchPlan[]): Delta[] => plans.flatMap((plan) => documents.patch(plan) ?? [])
  const steer = (): void => {
    if (!steering) return
    const { role, text, continues } = steering
    const message: Message = { id: `steer-${number}`, role, content: [{ type: 'text', text }] }
    scribe.commit({
      messages: [message],
      ...(continues ? { continuation: { steered: role === 'user', detail: { text } } } : {}),
    })
  }

  if (!among) steer()
  if (step.reset) {
    const callOf = (part: CallPlan): string => `${callId(part)}-try`
    const again = streamed(step, { messageId: `${id}-try`, callId: callOf, marks, dispositionOf })
    scribe.deltas([...again, { type: 'stream_reset', reason: 'connection reset' }])
  }
  if (step.failedInference) scribe.commit({ messages: [], inference: { model: 'm-small', duration_ms: 900 + number } })

  const written = streamed(step, { messageId: id, callId, marks, dispositionOf })
  const middle = written.length >> 1
  const early = patch(step.patches.filter((plan) => plan.early || atOnce))
  scribe.deltas([...written.slice(0, middle), ...early, ...written.slice(middle)])
  for (const { part, id: call } of calls) {
    if (part.cancelled) scribe.deltas([{ type: 'tool_call_cancelled', id: call, name: part.name, reason: 'lost' }])
  }

  const message = messageOf(step, id, callId)
  if (step.activity !== undefined) (step.keepsActivity ? documents.keep : documents.begin)(step.activity)
  if (cutShort) return { message, pending: [] }

  const head = { ...(pending.length > 0 ? { pending } : {}), ...inferenceOf(step, number) }
  const outputs = (): void =>
    scribe.deltas(
      ran.flatMap(({ part, id: call }): Delta[] => {
        const { output } = part.result
        return output ? [{ type: 'tool_output_delta', id: call, name: part.name, delta: output }] : []
      }),
    )
  const results = resultMessages(step, id, ran, options)
  if (step.snapshot !== undefined && atOnce) documents.setState(step.snapshot)
  if (atOnce) {
    scribe.commit({ messages: [message, ...results], ...head, ...documents.news() })
    return { message, pending }
  }

  scribe.commit({ messages: [message], ...head, ...documents.begun() })
  outputs()
  scribe.deltas(patch(step.patches.filter((plan) => !plan.early)))
  if (step.snapshot !== undefined) documents.setState(step.snapshot)
  results.forEach((result, index) => {
    if (among && index === results.length - 1) steer()
    scribe.commit({ messages: [result], ...(index === results.length - 1 ? documents.news() : {}) })
  })
  return { message, pending }
}

/**
 * A call may have the id of its message, as long as no other has. Of calls that share one, nobody can be asked about the
 * one and not the other.
 */
function callsOf(step: StepPlan, messageId: string, { number, asks, ...options }: StepOptions): PlannedCall[] {
  const repeats = asks && options.repeats === 'everywhere' ? 'between steps' : options.repeats
  let taken = repeats !== 'nowhere'
  return step.parts
    .filter((part) => part.kind === 'call')
    .map((part, index) => {
      const namesake = part.namesake && !taken
      taken ||= namesake
      return { part, id: namesake ? messageId : idOf(repeats, number, index) }
    })
}

function idOf(repeats: Repeats, number: number, index: number): string {
  switch (repeats) {
    case 'nowhere':
      return `c${number}-${index}`
    case 'between steps':
      return `c${index}`
    case 'everywhere':
      return `c${index >> 1}`
  }
}

const waits = ({ pending, broken }: CallPlan): boolean => pending !== 'no' && broken === undefined

function pendingOf({ part, id }: PlannedCall): Pending {
  const { message, parameters, response_schema, expires_at } = part.ticket
  return {
    tool_use_id: id,
    kind: part.pending === 'client' ? 'client' : 'approval',
    ...(part.pending === 'approval' ? { approval_id: `perm-${id}` } : {}),
    ...(message === undefined ? {} : { message }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(response_schema === undefined ? {} : { response_schema }),
    ...(expires_at === undefined ? {} : { expires_at }),
  }
}

function resultMessages(
  step: StepPlan,
  messageId: string,
  ran: readonly PlannedCall[],
  { repeats }: StepOptions,
): Message[] {
  const inOrder = step.reverseResults ? ran.toReversed() : ran
  const results = inOrder.map(({ part, id }): { readonly block: ToolResultBlock; readonly namesake: boolean } => ({
    block: part.broken === undefined ? resultOf(part.result, id) : refusalOf(id),
    namesake: part.result.namesake,
  }))
  if (results.length === 0) return []
  if (step.results === 'in one message') {
    return [{ id: `results-${messageId}`, role: 'tool', content: results.map(({ block }) => block) }]
  }
  // Where even open calls share an id, messages do not.
  if (repeats === 'everywhere') {
    return results.map(({ block }, index) => ({ id: `tool-${index}-${messageId}`, role: 'tool', content: [block] }))
  }
  return results.map(({ block, namesake }) => ({
    id: namesake && block.tool_use_id !== messageId ? block.tool_use_id : `tool-${block.tool_use_id}`,
    role: 'tool',
    content: [block],
  }))
}

function inferenceOf({ inference }: StepPlan, number: number): { readonly inference?: Inference } {
  const call = { model: 'm-large', duration_ms: 12 + number }
  switch (inference) {
    case 'none':
      return {}
    case 'whole':
      // Some providers count more than they tell apart.
      return {
        inference: { ...call, usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 + (number % 2) } },
      }
    case 'some':
      return { inference: { ...call, usage: { prompt_tokens: 3, cache_read_tokens: 2, thinking_tokens: 1 } } }
    case 'nothing known':
      return { inference: call }
  }
}
