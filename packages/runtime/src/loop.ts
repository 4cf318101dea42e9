/**
 * The loop: settles what is open, asks the model, and again, until the model is done or there is somebody to wait for.
 *
 * It does not know whether it begins, goes on after a decision or after a crash: where the thread stands says what comes next. At
 * every moment what is stored is a thread that a model can be called with.
 */
import { type EndCause, endRun, type Failure, type Message, type Pending, type ToolUseBlock } from '@factwire/core'
import { ask, type Answer } from './ask.ts'
import { hint } from './askable.ts'
import { begin, type Brought, callIdsOf } from './begin.ts'
import { quietly } from './checkpoint.ts'
import { atMost } from './race.ts'
import { type JudgedCall, settleCalls } from './settle-calls.ts'
import type { Setting } from './setting.ts'
import { pendingOf, verdictOn } from './verdict.ts'

type Answered = Extract<Answer, { type: 'answered' }>

export async function loop(setting: Setting, before: Parameters<typeof begin>[1], brought: Brought): Promise<void> {
  const { run, publish, inbox, limits, stop } = setting
  const judged = new Map<string, JudgedCall>()
  let hints: readonly Message[] = []
  let checkpoint = before.state?.type === 'running' ? await checkpointOf(setting) : undefined

  await begin(setting, before, brought)
  for (let step = setting.stepsBefore; !stop.aborted; step++) {
    const waiting = await settleCalls(setting, judged)
    if (stop.aborted) break
    if (waiting.length > 0) return wait(waiting)

    if (step >= limits.steps) return end({ type: 'max_steps' })
    await takeInputs()
    // What was said since it was made stands before it now, and the model has not heard that.
    const isOfThis = checkpoint?.after === (run.messages().at(-1)?.id ?? null)
    const answer = await ask(setting, hints, isOfThis ? checkpoint : undefined)
    if (answer.type === 'stopped') break
    if (answer.type === 'failed') return end({ type: 'error', failure: failureOf(setting, answer) })
    // The model's last word and the end are one commit, or a crash between them would have it say that again. But somebody may have
    // said something meanwhile.
    const { cause } = answer
    if (cause && (await inbox.closeIfEmpty(run.messages()))) return end(cause, answer)
    await commit(answer)
    if (cause && cause.type !== 'natural_end') return end(cause)
    checkpoint = undefined
    hints = answer.lost.length > 0 ? [lostCalls(answer.lost)] : []
  }
  await end(setting.cause())

  /** The assistant's message, before anything is done about its calls: what they wait for stands beside it. */
  async function commit({ message, inference, cause }: Answered): Promise<void> {
    const cost = inference ? { inference } : {}
    if (!message) return inference ? publish(run.commit({ messages: [], ...cost })) : undefined
    // Where the model did not end with its calls, none of them is made.
    const calls = cause ? [] : message.content.filter((block): block is ToolUseBlock => block.type === 'tool_use')
    const verdicts = await Promise.all(calls.map((call) => verdictOn(call, setting.tools, stop)))
    const pending = calls.flatMap(({ id }, index) => {
      const verdict = verdicts[index]
      return (verdict && pendingOf(id, verdict)) ?? []
    })
    const written = run.commit({ messages: [message], ...(pending.length > 0 ? { pending } : {}), ...cost })
    for (const [index, id] of callIdsOf(run, message.id).entries()) {
      const [call, verdict] = [calls[index], verdicts[index]]
      if (call && verdict) judged.set(id, { id, given: call.id, verdict })
    }
    await publish(written)
  }

  async function takeInputs(): Promise<void> {
    const messages = await inbox.waiting(run.messages())
    if (messages.length === 0) return
    const detail = { messages: messages.map(({ id }) => id) }
    await publish(run.commit({ messages, continuation: { steered: true, detail } }))
  }

  /** What was said meanwhile stays in the journal until the calls have their results. */
  async function wait(pending: readonly Pending[]): Promise<void> {
    inbox.close()
    await inbox.waiting([])
    await publish(run.await(pending))
  }

  async function end(cause: EndCause, last?: Answered): Promise<void> {
    inbox.close()
    if ((await inbox.waiting(run.messages())).length > 0) {
      // What was being written, and results for what is open: what was said stands behind them.
      await publish(run.commit())
      await publish(run.commit({ messages: endRun(run.standing(), cause).messages }))
      await takeInputs()
    }
    const messages = last?.message ? { messages: [last.message] } : {}
    const inference = last?.inference ? { inference: last.inference } : {}
    await publish(run.commit({ ...messages, ...inference, state: { type: 'ended', cause } }))
  }
}

/** A store that does not answer has none. */
function checkpointOf({ checkpoints, runId, clock, limits }: Setting): ReturnType<Setting['checkpoints']['get']> {
  return atMost(
    clock,
    limits.graceMs,
    quietly(() => checkpoints.get(runId)),
  )
}

function failureOf({ told }: Setting, { failure: { code, message } }: Extract<Answer, { type: 'failed' }>): Failure {
  return told({ code, message })
}

function lostCalls(calls: readonly { readonly name: string }[]): Message {
  const names = [...new Set(calls.map(({ name }) => name))].join(', ')
  return hint(
    'lost',
    `Your last message was cut off in the middle of a call of ${names}, which was not made. Make it again if it is still needed.`,
  )
}
