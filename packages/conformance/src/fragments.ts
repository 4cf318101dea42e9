/** The deltas of a message, as a provider would stream them. */
import type { Delta, Disposition } from '@factwire/core'
import { argumentsText, thoughtOf } from './message.ts'
import type { CallPlan, Marks, StepPlan } from './plan.ts'

export interface StreamOptions {
  readonly messageId: string
  readonly callId: (part: CallPlan) => string
  readonly marks: Marks
  /** Who will run a call, where the deltas say it. */
  readonly dispositionOf: (part: CallPlan) => Disposition | undefined
}

export function streamed(step: StepPlan, { messageId, callId, marks, dispositionOf }: StreamOptions): Delta[] {
  const mark = (offset: number): { readonly message_id?: string; readonly offset?: number } => ({
    ...(marks === 'both' || marks === 'ids' ? { message_id: messageId } : {}),
    ...(marks === 'both' || marks === 'offsets' ? { offset } : {}),
  })
  const lanes: Delta[][] = []
  const thinking = thoughtOf(step)
  if (thinking !== undefined) {
    lanes.push(fragments(thinking, step.cuts).map(([delta, at]) => ({ type: 'reasoning_delta', delta, ...mark(at) })))
  }
  let textBefore = 0
  for (const part of step.parts) {
    if (part.kind === 'text') {
      const base = textBefore
      lanes.push(
        fragments(part.text, step.cuts).map(([delta, at]) => ({ type: 'text_delta', delta, ...mark(base + at) })),
      )
      textBefore += part.text.length
    } else {
      const { name } = part
      const disposition = dispositionOf(part)
      const said = disposition === undefined ? {} : { disposition }
      const call = { type: 'tool_call_delta' as const, id: callId(part), name }
      const args = fragments(argumentsText(part), step.cuts)
      lanes.push([
        { ...call, args_delta: '', ...mark(0), ...said },
        ...args.map(([args_delta, at]): Delta => ({ ...call, args_delta, ...mark(at), ...said })),
      ])
    }
  }
  const deltas = interleaved(lanes, step.interleave)
  return step.announceStep ? [{ type: 'step_started', message_id: messageId }, ...deltas] : deltas
}

/** Text lanes keep their order among each other, calls begin in theirs; fragments of calls mix. */
function interleaved(lanes: readonly (readonly Delta[])[], picks: readonly number[]): Delta[] {
  const queues = lanes.map((lane) => [...lane])
  const deltas: Delta[] = []
  let turn = 0
  let started = 0
  // A call is announced when its lane opens, so that calls begin in their order.
  const openNext = (): void => {
    const queue = queues[started++]
    const announcement = queue?.[0]?.type === 'tool_call_delta' ? queue.shift() : undefined
    if (announcement) deltas.push(announcement)
  }
  while (queues.some((queue) => queue.length > 0)) {
    const pick = picks.length > 0 ? (picks[turn++ % picks.length] ?? 0) : 0
    const open = queues.slice(0, started).filter((queue) => queue.length > 0)
    const first = open[0]
    if (!first || (pick > 5 && started < queues.length)) {
      openNext()
      continue
    }
    // Text and reasoning are one stream each: only the first open of a kind may go on.
    const candidates = open.filter(
      (queue, index) =>
        queue[0]?.type === 'tool_call_delta' ||
        !open.slice(0, index).some((other) => other[0]?.type === queue[0]?.type),
    )
    const queue = candidates[pick % candidates.length] ?? first
    const next = queue.shift()
    if (next) deltas.push(next)
  }
  return deltas
}

function fragments(text: string, cuts: readonly number[]): [string, number][] {
  const at = [...new Set(cuts.map((cut) => Math.round((cut * text.length) / 1000)))].toSorted((a, b) => a - b)
  const bounds = [0, ...at.filter((cut) => cut > 0 && cut < text.length), text.length]
  return bounds.slice(1).map((end, index) => [text.slice(bounds[index], end), bounds[index] ?? 0])
}
