/**
 * The answer to a request that did not ask for a stream: what the chunks of the same facts say, in one piece.
 *
 * It is read off the transcoder's own frames, so that both forms of an answer cannot come apart.
 */
import type { Fact, Json, RunContext } from '@factwire/core'
import { error } from './error-body.ts'
import type { OpenAiChatOptions } from './options.ts'
import { transcoder } from './transcoder.ts'
import {
  type ChatCompletion,
  type ChatCompletionMessage,
  type ChatFailure,
  type ChatFinishReason,
  type WrittenChunk,
  type WrittenFrame,
  DONE,
} from './wire.ts'

export type CompleteOptions = Pick<OpenAiChatOptions, 'reasoning' | 'approvalTool'>

/**
 * The body for the facts of one segment. A run that failed, or that has no end, gives the error body, for which 500 is the status:
 * whoever sends it tells them apart by the `error` key.
 */
export function complete(
  facts: readonly Fact[],
  run: RunContext,
  options: CompleteOptions = {},
): ChatCompletion | ChatFailure {
  const told = facts.findLast((fact) => fact.type === 'inference_completed')
  const model = run.model ?? told?.model
  const target = transcoder(model === undefined ? run : { ...run, model }, { ...options, includeUsage: true })
  const frames = [...facts.flatMap((fact) => target.fact(fact)), ...target.settled(), ...target.close()]
  const counted = facts.some((fact) => fact.type === 'inference_completed' && fact.usage !== undefined)
  return assemble(frames, counted) ?? error(500, { code: 'stream_failed', message: 'the run has not started' })
}

/** The chunks joined as a client joins them. Usage that no model told is left out. */
function assemble(frames: readonly WrittenFrame[], counted: boolean): ChatCompletion | ChatFailure | undefined {
  let head: WrittenChunk | undefined
  let usage: Json | undefined
  let finish: ChatFinishReason = 'stop'
  let content = ''
  const thoughts = { reasoning_content: '', reasoning: '' }
  const calls: { id: string; name: string; arguments: string }[] = []

  for (const frame of frames) {
    if (frame === DONE) continue
    if (isFailure(frame)) return frame
    head ??= frame
    usage = frame.usage ?? usage
    for (const { delta, finish_reason } of frame.choices) {
      content += delta.content ?? ''
      thoughts.reasoning_content += delta.reasoning_content ?? ''
      thoughts.reasoning += delta.reasoning ?? ''
      finish = finish_reason ?? finish
      for (const { index, id = '', function: called } of delta.tool_calls ?? []) {
        const call = (calls[index] ??= { id, name: called.name ?? '', arguments: '' })
        call.arguments += called.arguments
      }
    }
  }
  if (!head) return undefined
  const message: ChatCompletionMessage = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(thoughts.reasoning_content === '' ? {} : { reasoning_content: thoughts.reasoning_content }),
    ...(thoughts.reasoning === '' ? {} : { reasoning: thoughts.reasoning }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map(({ id, ...called }) => ({ id, type: 'function', function: called })) }),
  }
  const { id, created, model } = head
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    ...(usage === undefined || !counted ? {} : { usage }),
  }
}

const isFailure = (frame: WrittenChunk | ChatFailure): frame is ChatFailure => 'error' in frame
