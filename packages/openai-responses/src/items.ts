/** The items of a response as they are read: which one an event means, and what it says beyond what was said in it already. */
import { isObject } from '@factwire/core'
import type { Assembly } from './assembly.ts'
import { shellResult } from './called.ts'
import { type Entry, listOf, newEntry } from './entry.ts'
import type { Spoken } from './spoken.ts'
import type { ResponsesEvent } from './wire.ts'

export interface Items {
  /** The item that an event means, of that kind. */
  entryOf(event: ResponsesEvent, type: string): Entry
  /** A piece of a text, or the whole of it. */
  say(entry: Entry, index: unknown, words: unknown, whole: boolean, refusal: boolean): void
  think(entry: Entry, where: 'texts' | 'summary', index: unknown, words: unknown, whole: boolean): void
  write(entry: Entry, args: unknown, whole: boolean): void
  /** A part has begun, or is there as a whole. */
  part(event: ResponsesEvent): void
  /** The same of an item. */
  item(event: ResponsesEvent): void
  /** All items once more. */
  output(response: Fields): void
  /** The model would not answer. */
  readonly refused: boolean
}

type Fields = { readonly [key: string]: unknown }

export function createItems(messages: Assembly): Items {
  const entries = new Map<number, Entry>()
  let refused = false

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
      const parts = listOf(item['content'])
      entry.texts.first(parts.length).forEach((text, index) => fillPart(entry, text, parts[index] ?? {}))
    } else if (entry.type === 'reasoning') {
      fillThought(entry, 'summary', listOf(item['summary']))
      fillThought(entry, 'texts', listOf(item['content']))
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

  function fillPart(entry: Entry, spoken: Spoken, part: Fields): void {
    const { type, text, refusal } = part
    if (type === 'refusal') sayIn(entry, spoken, refusal, true, true)
    else sayIn(entry, spoken, text, true, false)
  }

  function fillThought(entry: Entry, where: 'texts' | 'summary', parts: readonly Fields[]): void {
    entry[where].first(parts.length).forEach((text, index) => thinkIn(entry, where, text, parts[index]?.['text'], true))
  }

  const say: Items['say'] = (entry, index, words, whole, refusal) =>
    sayIn(entry, entry.texts.at(index), words, whole, refusal)

  function sayIn(entry: Entry, text: Spoken, words: unknown, whole: boolean, refusal: boolean): void {
    refused ||= refusal && typeof words === 'string' && words !== ''
    const piece = whole ? text.whole(words) : text.add(words)
    messages.say(entry, piece, text.broken)
  }

  const think: Items['think'] = (entry, where, index, words, whole) =>
    thinkIn(entry, where, entry[where].at(index), words, whole)

  function thinkIn(entry: Entry, where: 'texts' | 'summary', text: Spoken, words: unknown, whole: boolean): void {
    if (typeof words !== 'string') return
    if (words !== '') entry.thought ??= where
    const first = text.text === ''
    const piece = whole ? text.whole(words) : text.add(words)
    if (entry.thought === where) messages.think(entry, piece, { broken: text.broken, first })
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
    else if (isEnd(event) || part['text']) {
      const entry = entryOf(event, 'message')
      fillPart(entry, entry.texts.at(event.content_index), part)
    }
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

  return {
    entryOf,
    say,
    think,
    write,
    part: readPart,
    item: readItem,
    output: readOutput,
    get refused() {
      return refused
    },
  }
}

const isEnd = ({ type }: ResponsesEvent): boolean => type.endsWith('.done')

const isSame = (one: unknown, other: unknown): boolean => typeof one === 'string' && one !== '' && one === other
