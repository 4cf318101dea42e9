/**
 * Turns a chat completions stream of any OpenAI-compatible provider into deltas as they arrive and one commit at its end.
 *
 * It answers for one stream, that is one assistant message. What a provider runs by itself (search, code) is not shown: it has no
 * ids and cannot be sent back. After the end mark, or after an error, everything else is ignored, broken frames included.
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
import { type AnswerOptions, answerOf } from './answer.ts'
import { choicesOf } from './choices.ts'
import { ending } from './ending.ts'
import { failureOf, isError } from './failure.ts'
import { type Finish, finishOf, worse } from './finish.ts'
import { usageCount } from './usage.ts'
import { type ChatChunk, type ChatFrame, DONE } from './wire.ts'

export interface OpenAiChatDecoderOptions extends AnswerOptions {
  /** Id of the message where the provider gives the response none. Default `message`. */
  readonly messageId?: string
  /** Milliseconds that the model call took, asked for once, at the end. Default 0. */
  readonly durationMs?: () => number
}

const BEGIN: Commit = { messages: [], state: { type: 'running' } }

export function decoder(options: OpenAiChatDecoderOptions = {}): Decoder<ChatFrame> {
  const answer = answerOf(options, messageId, give)
  const choices = choicesOf(answer, { finished, failed })
  const usage = usageCount()
  let out: (Delta | Commit)[] | undefined
  let begun = false
  let over = false
  let responseId = ''
  let fixedId = ''
  let model = ''
  let startedAt = 0
  let finish: Finish | undefined
  let failure: Failure | undefined

  /** A list that begins empty makes room for many, and nearly every frame gives one. */
  function give(item: Delta | Commit): void {
    if (out) out.push(item)
    else out = [item]
  }

  const taken = (): readonly (Delta | Commit)[] => out ?? none

  /** Fixed when first asked for: an id that comes later, or another on every chunk, changes nothing. */
  function messageId(): string {
    fixedId ||= responseId || options.messageId || 'message'
    return fixedId
  }

  function finished(reason: string): void {
    if (reason === '' || reason === 'null') return
    finish = worse(finish, finishOf(reason))
    answer.settle()
  }

  function failed(error: unknown): void {
    failure ??= failureOf(error)
  }

  function read(chunk: ChatChunk): void {
    readIdentity(chunk)
    const groq = isObject(chunk.x_groq) ? chunk.x_groq : undefined
    if (chunk.usage) usage.see(chunk.usage)
    else if (groq?.['usage']) usage.see(groq['usage'])
    if (Array.isArray(chunk.choices)) {
      for (const choice of chunk.choices) {
        if (!isObject(choice)) continue
        choices.read(choice)
        if (choice['usage'] && !chunk.usage) usage.see(choice['usage'])
      }
    }
    // What stands beside an error came before it.
    if (isError(chunk.error)) failed(chunk.error)
    if (isError(groq?.['error'])) failed(groq?.['error'])
    if (failure) finalize(false)
  }

  function readIdentity({ id, model: name, created }: ChatChunk): void {
    if (responseId === '' && typeof id === 'string') responseId = id
    if (model === '' && typeof name === 'string') model = name
    if (startedAt === 0 && typeof created === 'number' && created > 0) startedAt = created * 1000
  }

  function finalize(done: boolean): void {
    over = true
    const late = answer.unsettled
    // Gives copies of what came earlier.
    choices.end()
    const commit = ending(messageId(), answer.close(), { finish, done, answered: choices.any, late, failure })
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
      if (frame === DONE) finalize(true)
      else read(frame)
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
        ...(startedAt === 0 ? {} : { startedAt }),
      }
    },
  }
}
