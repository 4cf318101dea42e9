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
import { shellResult } from './called.ts'
import { causeOf, ending, failed } from './ending.ts'
import { type Entry, listOf, newEntry } from './entry.ts'
import { itemTypeOf } from './event-types.ts'
import { failureOf } from './failure.ts'
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
  let refused = false
  const entries = new Map<number, Entry>()
  const messages = assembly({
    usedCallIds,
    mint: (number) => `${responseId || 'response'}-${number}`,
    give,
  })

  /** A list that begins empty makes room for many, and nearly every event gives one. */
  function give(item: Delta | Commit): void {
    if (out) out.push(item)
    else out = [item]
  }

  // ── Items ──

  function add(index: number, item: Fields): Entry {
    const entry = newEntry(index, item)
    entries.set(index, entry)
    messages.begin(entry)
    return entry
  }

  const unused = (): number => Math.max(-1, ...entries.keys()) + 1

  const isIndex = (index: unknown): index is number =>
    typeof index === 'number' && Number.isSafeInteger(index) && index >= 0

  /** The item that an event means: by its index, which is the one thing that servers keep; without one, the last of its kind. */
  function entryOf({ output_index, item_id }: ResponsesEvent, type: string): Entry {
    if (isIndex(output_index)) {
      const known = entries.get(output_index)
      if (known && known.type === type) return known
      return add(known ? unused() : output_index, { type, id: item_id })
    }
    const all = [...entries.values()]
    const known =
      all.find((entry) => entry.id !== '' && entry.id === item_id) ??
      all.findLast((entry) => entry.type === type && !entry.done)
    return known ?? add(unused(), { type, id: item_id })
  }

  function readItem({ type, item, output_index }: ResponsesEvent): void {
    if (!isObject(item) || typeof item['type'] !== 'string') return
    const entry = placeOf(output_index, item)
    if (type === 'response.output_item.done') finish(entry, item)
    else fill(entry, item)
  }

  function placeOf(index: unknown, item: Fields): Entry {
    const { type, id, call_id } = item
    if (isIndex(index)) {
      const known = entries.get(index)
      if (known && known.type === type) return known
      return add(known ? unused() : index, item)
    }
    const known = [...entries.values()].find(
      (entry) =>
        entry.type === type && ((entry.id !== '' && entry.id === id) || isSame(entry.fields['call_id'], call_id)),
    )
    return known ?? add(unused(), item)
  }

  /** What a whole item says, beyond what was said in it already. */
  function fill(entry: Entry, item: Fields): void {
    const { fields } = entry
    entry.fields = { ...fields, ...item }
    if (entry.type === 'message') {
      listOf(item['content']).forEach((part, index) => fillPart(entry, index, part))
    } else if (entry.type === 'reasoning') {
      listOf(item['summary']).forEach(({ text }, index) => think(entry, 'summary', index, text, true))
      listOf(item['content']).forEach(({ text }, index) => think(entry, 'texts', index, text, true))
    } else if (entry.kind) {
      messages.call(entry)
      // An item that has just begun has no arguments yet, and says so with an empty text.
      const args = entry.kind.argumentsOf(entry.fields)
      if (entry.done || (args !== undefined && args !== '' && item['status'] !== 'in_progress'))
        write(entry, args ?? '', true)
    }
  }

  function finish(entry: Entry, item: Fields): void {
    const again = entry.done
    entry.done = true
    fill(entry, item)
    if (again) return
    const { kind } = entry
    if (kind?.runner === 'server' && kind.resultOf) messages.result(entry, kind.resultOf(entry.fields))
    if (entry.type === 'shell_call_output') {
      const call = [...entries.values()].find(
        ({ type, fields }) => type === 'shell_call' && isSame(fields['call_id'], item['call_id']),
      )
      if (call) messages.result(call, shellResult(item))
    }
  }

  // ── What is said in them ──

  function fillPart(entry: Entry, index: unknown, part: Fields): void {
    const { type, text, refusal } = part
    if (type === 'refusal') say(entry, index, refusal, true, true)
    else say(entry, index, text, true, false)
  }

  function say(entry: Entry, index: unknown, words: unknown, whole: boolean, refusal: boolean): void {
    refused ||= refusal && typeof words === 'string' && words !== ''
    const text = entry.texts.at(index)
    messages.say(entry, whole ? text.whole(words) : text.add(words))
  }

  function think(entry: Entry, where: 'texts' | 'summary', index: unknown, words: unknown, whole: boolean): void {
    if (typeof words !== 'string') return
    if (words !== '') entry.thought ??= where
    const text = entry[where].at(index)
    const first = text.text === ''
    const piece = whole ? text.whole(words) : text.add(words)
    if (entry.thought === where) messages.think(entry, piece, first)
  }

  function write(entry: Entry, args: unknown, whole: boolean): void {
    entry.held += whole ? entry.args.whole(args) : entry.args.add(args)
    messages.call(entry)
  }

  function readPart(event: ResponsesEvent): void {
    const { part } = event
    if (!isObject(part)) return
    if (part['type'] === 'reasoning_text')
      think(entryOf(event, 'reasoning'), 'texts', event.content_index, part['text'], isEnd(event))
    // A part that has just begun is empty.
    else if (isEnd(event) || part['text']) fillPart(entryOf(event, 'message'), event.content_index, part)
  }

  // ── The response ──

  function readIdentity(response: Fields): void {
    const { id, model: name, created_at } = response
    if (responseId === '' && typeof id === 'string') responseId = id
    if (model === '' && typeof name === 'string') model = name
    if (startedAt === 0 && typeof created_at === 'number' && created_at > 0) startedAt = created_at * 1000
    usage = usageOf(response['usage']) ?? usage
  }

  /** The whole again. Ids may have changed meanwhile: then an item is known by its place among the others. */
  function readOutput(response: Fields): void {
    const output = listOf(response['output'])
    const inOrder = [...entries.values()].toSorted((one, other) => one.index - other.index)
    const left = new Set(inOrder)
    const found = output.map((item) => {
      const known = inOrder.find(
        (entry) =>
          left.has(entry) &&
          entry.type === item['type'] &&
          ((entry.id !== '' && entry.id === item['id']) || isSame(entry.fields['call_id'], item['call_id'])),
      )
      if (known) left.delete(known)
      return known
    })
    output.forEach((item, position) => {
      const stands = inOrder[position]
      const entry =
        found[position] ??
        (stands && left.delete(stands) && stands.type === item['type'] ? stands : add(unused(), item))
      finish(entry, item)
    })
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
    readOutput(response)
    finalize((left) => causeOf({ type, response, refused }, left))
  }

  function read(event: ResponsesEvent): void {
    const { type, response } = event
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
        return readPart(event)
      case 'response.output_item.added':
      case 'response.output_item.done':
        return readItem(event)
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

const isEnd = ({ type }: ResponsesEvent): boolean => type.endsWith('.done')

const isSame = (one: unknown, other: unknown): boolean => typeof one === 'string' && one !== '' && one === other

const TRUNCATED: Failure = { code: 'stream_truncated', message: 'the stream ended before the response was complete' }
const EMPTY: Failure = { code: 'empty_stream', message: 'the stream held no answer' }
