/**
 * One step's answer, from as many requests as it takes.
 *
 * Before anything was shown, a request that failed is made again. After that an answer that broke off is taken up by one of the four
 * plans. What cannot be mended is a failure, with what was said of the answer still in the writer.
 */
import type { Disposition, EndCause, Inference, Message, ToolUseBlock } from '@factwire/core'
import { type Kept, messageOf } from './answer.ts'
import { askable, hint } from './askable.ts'
import { attempt, type Outcome } from './attempt.ts'
import { callsFor, saidBefore, type StreamCheckpoint } from './checkpoint.ts'
import { isTransient, type ProviderFailure } from './failure.ts'
import type { Reading } from './model.ts'
import { pause } from './race.ts'
import { planOf } from './recovery.ts'
import { completeInput, isComplete, nothingSaid, type Said, type SaidCall, say } from './said.ts'
import type { Setting } from './setting.ts'

export type Answer =
  | {
      readonly type: 'answered'
      /** To be committed; undefined when the model said nothing. */
      readonly message: Message | undefined
      readonly inference: Inference | undefined
      /** Undefined where there are calls to run. */
      readonly cause: EndCause | undefined
      /** Calls that were given up, for the model to know. */
      readonly lost: readonly SaidCall[]
    }
  | { readonly type: 'failed'; readonly failure: ProviderFailure }
  | { readonly type: 'stopped' }

const CONTINUE = hint(
  'continue',
  'Your last message was cut off. Continue it exactly where it stops: repeat nothing, and say nothing about the cut.',
)

/** Waiting longer after a silence helps nobody. */
const STALL_MS = 200

/** `checkpoint` is of an answer to the same thread that a process before this one did not finish. */
export async function ask(
  setting: Setting,
  hints: readonly Message[],
  checkpoint: StreamCheckpoint | undefined,
): Promise<Answer> {
  const { run, publish, limits, clock, stop, model, progress } = setting
  const kept: Kept = { text: '', thought: '' }
  const offered = new Set(setting.offered.map(({ name }) => name))
  const after = run.messages().at(-1)?.id ?? null
  let said = nothingSaid()
  let reading: Reading | undefined
  let retries = 0
  let recoveries = 0
  let fragments = 0
  let due = limits.checkpointEvery

  const soFar = (): StreamCheckpoint => ({
    run_id: setting.runId,
    thread_id: setting.threadId,
    after,
    upstream_model: reading?.model() ?? '',
    partial_text: kept.text + said.text,
    ...callsFor(said.calls.values()),
    updated_at_ms: clock.now(),
  })

  const isClients = ({ name }: Pick<SaidCall, 'name'>): boolean => setting.tools.client.has(name)
  /** One that is cut, or that the client was shown as one that it is to run, where nobody asks it to. */
  const isNoCall = (call: SaidCall): boolean => !isComplete(call) || isClients(call)
  const dispositionOf = (name: string): Disposition | undefined => (isClients({ name }) ? 'pending_client' : undefined)
  const isWhole = ({ id }: ToolUseBlock): boolean => isComplete(said.calls.get(id) ?? { id, name: '', args: '' })

  const before = checkpoint && (await resume(saidBefore(checkpoint)))
  if (before) return before
  for (let count = 0; ; count++) {
    const outcome = await request(count)
    if (outcome.type === 'answered') return answered(outcome)
    if (outcome.type === 'stopped') return givenUp({ type: 'stopped' }, 'the run was stopped')
    const { failure, message } = outcome
    const failed: Answer = { type: 'failed', failure }
    const isShown = said.text !== '' || said.thought !== '' || said.calls.size > 0
    if (isShown) progress.flush(soFar)
    if (!isTransient(failure)) return givenUp(failed, failure.cause)
    if (isShown) {
      const isBroken = planOf(said, kept.text, limits.continueText).type !== 'use_calls'
      if (isBroken && recoveries++ >= limits.recoveries) return givenUp(failed, failure.cause)
      const done = await recover(message, failure.cause)
      if (done) return done
    } else if (retries++ >= limits.retries || (failure.waitMs ?? 0) > limits.retryAfterMs) return failed
    const backoff = failure.cause === 'idle stall' && isShown ? STALL_MS : limits.backoffMs(count)
    said = nothingSaid()
    if (!(await pause(clock, failure.waitMs ?? backoff, stop))) return { type: 'stopped' }
  }

  function request(count: number): Promise<Outcome> {
    said = nothingSaid()
    const begun: readonly Message[] =
      kept.text === ''
        ? []
        : [{ id: 'kept', role: 'assistant', content: [{ type: 'text', text: kept.text }] }, CONTINUE]
    const messages = askable([...run.messages(), ...hints, ...begun], offered)
    const asked = model.request({ messages, tools: setting.offered, attempt: count })
    return attempt(model, asked, {
      fetch: setting.fetch,
      clock,
      limits,
      stop,
      onReading: (given) => void (reading = given),
      async show(delta) {
        if (say(said, delta)) grown()
        if (delta.type === 'text_delta') await publish(run.text(delta.delta))
        else if (delta.type === 'reasoning_delta') await publish(run.reasoning(delta.delta))
        else if (delta.type === 'tool_call_delta') {
          await publish(run.toolCall(delta.id, delta.name, delta.args_delta, dispositionOf(delta.name)))
        }
      },
    })
  }

  /** Each checkpoint is as long as the answer so far: of a long one there are fewer, or they would cost its square. */
  function grown(): void {
    if (++fragments < due) return
    due = fragments + limits.checkpointEvery + Math.floor(fragments / 16)
    progress.flush(soFar)
  }

  async function takeBack(calls: readonly SaidCall[], reason: string): Promise<void> {
    for (const { id } of calls) await publish(run.cancelCall(id, reason))
  }

  /** What is left of it can stand in a thread. */
  async function givenUp(answer: Answer, reason: string): Promise<Answer> {
    await takeBack([...said.calls.values()].filter(isNoCall), reason)
    return answer
  }

  async function answered({ end, inference }: Extract<Outcome, { type: 'answered' }>): Promise<Answer> {
    const message = end.messages.find(({ role }) => role === 'assistant')
    const cause = end.state.type === 'ended' ? end.state.cause : undefined
    // Only where the model says that it has made its calls are they whole, whatever they look like.
    if (cause) await takeBack([...said.calls.values()].filter(isNoCall), 'the answer was cut')
    const keeps = (call: ToolUseBlock): boolean => isWhole(call) && !isClients(call)
    const whole = messageOf(run.messageId(), kept, message, cause ? keeps : () => true)
    return { type: 'answered', message: whole, inference, cause, lost: [] }
  }

  /** The answer with the calls that are complete; or undefined when the model is to be asked again. */
  async function recover(message: Message | undefined, reason: string): Promise<Answer | undefined> {
    const plan = planOf(said, kept.text, limits.continueText)
    switch (plan.type) {
      case 'use_calls': {
        await takeBack(plan.lost, reason)
        const whole = messageOf(run.messageId(), kept, message ?? messageBefore(said), isWhole)
        return { type: 'answered', message: whole, inference: undefined, cause: undefined, lost: plan.lost }
      }
      case 'truncate':
      case 'continue':
        if (plan.type === 'truncate') await takeBack(plan.lost, reason)
        kept.text += said.text
        kept.thought += said.thought
        return undefined
      case 'restart':
        kept.text = ''
        kept.thought = ''
        await publish(run.reset(reason))
        return undefined
    }
  }

  /** What a process before this one had of the answer, as if it had just broken off. What stays of it is shown again. */
  async function resume(before: Said): Promise<Answer | undefined> {
    if (planOf(before, '', limits.continueText).type === 'restart') return undefined
    const whole = [...before.calls.values()].filter(isComplete)
    said = { ...before, calls: new Map(whole.map((call) => [call.id, call])) }
    if (said.text !== '') await publish(run.text(said.text))
    for (const { id, name, args } of whole) await publish(run.toolCall(id, name, args, dispositionOf(name)))
    return recover(undefined, 'resumed from checkpoint')
  }
}

function messageBefore({ text, calls }: Said): Message {
  const uses = [...calls.values()].map(({ id, name, args }): ToolUseBlock => ({
    type: 'tool_use',
    id,
    name,
    input: completeInput(args) ?? null,
  }))
  return { id: 'before', role: 'assistant', content: text === '' ? uses : [{ type: 'text', text }, ...uses] }
}
