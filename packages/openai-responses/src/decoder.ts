/**
 * Turns the stream of a response, of any server that speaks this wire, into deltas as they arrive and a commit when a message is
 * complete.
 *
 * Nothing is believed but what stands in an item: events come doubled, without their ends, under other ids each time, or of kinds that
 * are not known here. What a provider runs by itself is a call of the agent, with its result.
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
import { assembly } from './assembly.ts'
import { causeOf, ending, failed } from './ending.ts'
import { itemTypeOf } from './event-types.ts'
import { failureOf } from './failure.ts'
import { createItems } from './items.ts'
import { usageOf } from './usage.ts'
import { DONE, type ResponsesEvent, type ResponsesFrame } from './wire.ts'

export interface OpenAiResponsesDecoderOptions {
  /** Ids of calls that the thread has already: a call that comes with one of them gets another. */
  readonly usedCallIds?: Iterable<string>
  /** Milliseconds that the model call took, asked for once, at the end. Default 0. */
  readonly durationMs?: () => number
}

type Fields = { readonly [key: string]: unknown }

const BEGIN: Commit = { messages: [], state: { type: 'running' } }

export function decoder(options: OpenAiResponsesDecoderOptions = {}): Decoder<ResponsesFrame> {
  const { usedCallIds = [] } = options
  let out: (Delta | Commit)[] | undefined
  let begun = false
  let over = false
  let responseId = ''
  let model = ''
  let startedAt = 0
  let usage: Inference['usage']
  const messages = assembly({
    usedCallIds,
    mint: (number) => `${responseId || 'response'}-${number}`,
    give,
  })
  const items = createItems(messages)
  const { entryOf, say, think, write } = items

  /** A list that begins empty makes room for many, and nearly every event gives one. */
  function give(item: Delta | Commit): void {
    if (out) out.push(item)
    else out = [item]
  }

  // ── The response ──

  function readIdentity(response: Fields): void {
    const { id, model: name, created_at } = response
    if (responseId === '' && typeof id === 'string') responseId = id
    if (model === '' && typeof name === 'string') model = name
    if (startedAt === 0 && typeof created_at === 'number' && created_at > 0) startedAt = created_at * 1000
    usage = usageOf(response['usage']) ?? usage
  }

  /** Some servers begin twice. Only where that is another response, and something was said, both cannot be one. */
  function beginsAnother(response: unknown): boolean {
    const id = isObject(response) ? response['id'] : undefined
    return items.begun && typeof id === 'string' && responseId !== '' && id !== responseId
  }

  function finalize(cause: (left: ReturnType<typeof messages.end>) => ReturnType<typeof causeOf>): void {
    over = true
    const left = messages.end()
    const inference = inferenceOf()
    const commit = ending(left, cause(left))
    give(inference ? { ...commit, inference } : commit)
  }

  function inferenceOf(): Inference | undefined {
    if (model === '' && !usage) return undefined
    return { model, ...(usage ? { usage } : {}), duration_ms: options.durationMs?.() ?? 0 }
  }

  function fail(failure: Failure): void {
    finalize(() => failed(failure))
  }

  function end(type: string, response: Fields): void {
    items.output(response)
    finalize((left) => causeOf({ type, response, refused: items.refused, late: items.late }, left))
  }

  function read(event: ResponsesEvent): void {
    const { type, response } = event
    if (type === 'response.created' && beginsAnother(response)) return fail(SECOND)
    if (isObject(response)) readIdentity(response)
    switch (type) {
      case 'response.output_text.delta':
        return say(entryOf(event, 'message'), event.content_index, event.delta, false, false)
      case 'response.output_text.done':
        return say(entryOf(event, 'message'), event.content_index, event.text, true, false)
      case 'response.refusal.delta':
        return say(entryOf(event, 'message'), event.content_index, event.delta, false, true)
      case 'response.refusal.done':
        return say(entryOf(event, 'message'), event.content_index, event.refusal, true, true)
      case 'response.reasoning_summary_text.delta':
        return think(entryOf(event, 'reasoning'), 'summary', event.summary_index, event.delta, false)
      case 'response.reasoning_summary_text.done':
        return think(entryOf(event, 'reasoning'), 'summary', event.summary_index, event.text, true)
      case 'response.reasoning_text.delta':
        return think(entryOf(event, 'reasoning'), 'texts', event.content_index, event.delta, false)
      case 'response.reasoning_text.done':
        return think(entryOf(event, 'reasoning'), 'texts', event.content_index, event.text, true)
      case 'response.function_call_arguments.delta':
      case 'response.mcp_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return write(entryOf(event, itemTypeOf(type) ?? ''), event.delta, false)
      case 'response.function_call_arguments.done':
      case 'response.mcp_call_arguments.done':
        return write(entryOf(event, itemTypeOf(type) ?? ''), event.arguments, true)
      case 'response.custom_tool_call_input.done':
        return write(entryOf(event, 'custom_tool_call'), event.input, true)
      case 'response.content_part.added':
      case 'response.content_part.done':
        return items.part(event)
      case 'response.output_item.added':
      case 'response.output_item.done':
        return items.item(event)
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      // The ends of some other servers: how it ended stands in the response.
      case 'response.cancelled':
      case 'response.done':
        return end(type, isObject(response) ? response : {})
      case 'error':
        return fail(failureOf(event.error ?? event))
      default:
        // Events that say nothing, and those that nobody knows.
        return undefined
    }
  }

  const taken = (): readonly (Delta | Commit)[] => out ?? none

  return {
    push(frame) {
      if (over) return none
      out = undefined
      if (!begun) {
        begun = true
        give(BEGIN)
      }
      if (frame === DONE) fail(TRUNCATED)
      else read(frame)
      return taken()
    },
    end(problem) {
      if (over) return none
      out = undefined
      fail(problem ?? (begun ? TRUNCATED : EMPTY))
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

const TRUNCATED: Failure = { code: 'stream_truncated', message: 'the stream ended before the response was complete' }
const SECOND: Failure = { code: 'stream_malformed', message: 'a second response begins in the stream' }
const EMPTY: Failure = { code: 'empty_stream', message: 'the stream held no answer' }
