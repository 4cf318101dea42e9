/**
 * Turns a Messages stream into deltas as they arrive and commits when something is complete.
 *
 * An answer is one message, committed at its end with what is to become of it. Where the provider runs tools itself, it is several: what
 * was said up to a result is committed when that comes. After the end, or an error, everything else is ignored.
 */
import {
  type Commit,
  type Decoder,
  type Delta,
  type Failure,
  type Inference,
  isCommit,
  isObject,
  none,
  type RunContext,
} from '@factwire/core'
import { answerOf, type AnswerOptions } from './answer.ts'
import { ending } from './ending.ts'
import { failureOf } from './failure.ts'
import { usageCount } from './usage.ts'
import type { MessageDelta, MessagesFrame, ReadMessage, WholeMessage } from './wire.ts'

export interface AnthropicMessagesDecoderOptions extends AnswerOptions {
  /** Milliseconds that the model call took, asked for once, at the end. Default 0. */
  readonly durationMs?: () => number
}

const BEGIN: Commit = { messages: [], state: { type: 'running' } }

export function decoder(options: AnthropicMessagesDecoderOptions = {}): Decoder<MessagesFrame> {
  const answer = answerOf(options, () => responseId, give)
  const usage = usageCount()
  let out: (Delta | Commit)[] | undefined
  let begun = false
  let over = false
  let responseId = ''
  let model = ''
  let stopReason: string | undefined
  let failure: Failure | undefined

  /** A list that begins empty makes room for many, and nearly every frame gives one. */
  function give(item: Delta | Commit): void {
    if (out) out.push(item)
    else out = [item]
  }

  const taken = (): readonly (Delta | Commit)[] => out ?? none

  function read(frame: MessagesFrame): void {
    switch (frame.type) {
      case 'message_start':
        return readStart(isObject(frame.message) ? frame.message : {})
      case 'content_block_start':
        return answer.start(frame)
      case 'content_block_delta':
        return answer.delta(frame)
      case 'content_block_stop':
        return answer.stop(frame)
      case 'message_delta':
        return readDelta(frame)
      case 'message_stop':
        return finalize(true)
      case 'message':
        return readWhole(frame)
      case 'error':
        failure = failureOf(frame.error)
        return finalize(false)
    }
  }

  /** Some servers begin twice. Only where that is another answer, both cannot be one. */
  function readStart({ id, model: name, usage: counts }: ReadMessage): void {
    const isOther = typeof id === 'string' && responseId !== '' && id !== responseId
    if (isOther && answer.begun) {
      failure = { code: 'stream_malformed', message: 'a second message begins in the stream' }
      return finalize(false)
    }
    if (responseId === '' && typeof id === 'string') responseId = id
    if (model === '' && typeof name === 'string') model = name
    usage.see(counts)
  }

  function readDelta({ delta, usage: counts }: MessageDelta): void {
    usage.see(counts)
    const reason = isObject(delta) ? delta['stop_reason'] : undefined
    if (typeof reason !== 'string' || reason === '') return
    stopReason = reason
  }

  function readWhole(frame: WholeMessage): void {
    readStart(frame)
    if (over) return
    const content: readonly unknown[] = Array.isArray(frame.content) ? frame.content : []
    content.forEach((content_block, index) => {
      answer.start({ type: 'content_block_start', index, content_block })
      answer.stop({ type: 'content_block_stop', index })
    })
    readDelta({ type: 'message_delta', delta: { stop_reason: frame.stop_reason } })
    finalize(true)
  }

  function finalize(done: boolean): void {
    over = true
    const commit = ending(answer.close(), { stopReason, done, failure })
    const inference = inferenceOf()
    give(inference ? { ...commit, inference } : commit)
  }

  function inferenceOf(): Inference | undefined {
    const total = usage.total()
    if (model === '' && !total) return undefined
    return { model, ...(total ? { usage: total } : {}), duration_ms: options.durationMs?.() ?? 0 }
  }

  return {
    push(frame) {
      if (over) return none
      out = undefined
      if (!begun) {
        begun = true
        give(BEGIN)
      }
      read(frame)
      return taken()
    },
    end(problem) {
      if (over) return none
      out = undefined
      failure ??= problem
      finalize(false)
      return taken().filter(isCommit)
    },
    run(): Partial<RunContext> {
      return {
        ...(responseId === '' ? {} : { runId: responseId }),
        ...(model === '' ? {} : { model }),
      }
    },
  }
}
