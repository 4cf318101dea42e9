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
  /** There is one. */
  readonly begun: boolean
  /** The model would not answer. */
  readonly refused: boolean
  /** Something was said of a message that had been given already. */
  readonly late: boolean
}

type Fields = { readonly [key: string]: unknown }

export function createItems(messages: Assembly): Items {
  const entries = new Map<number, Entry>()
  const places = new Map<number, Entry[]>()
  /** All ids of items and of calls: what is not there is nobody's, and need not be looked for among many. */
  const names = new Set<string>()
  let next = 0
  let refused = false
  let late = false

  function add(item: Fields, place?: number): Entry {
    const index = place !== undefined && !entries.has(place) ? place : next
    next = Math.max(next, index + 1)
    const entry = newEntry(index, item)
    entries.set(index, entry)
    learn(item)
    if (place !== undefined) at(place).push(entry)
    messages.begin(entry)
    return entry
  }

  function learn({ id, call_id }: Fields): void {
    if (isWord(id)) names.add(id)
    if (isWord(call_id)) names.add(call_id)
  }

  /** The last of these that an item is. */
  function lastSame(among: readonly Entry[], item: Fields): Entry | undefined {
    const isThere = [item['id'], item['call_id']].some((word) => isWord(word) && names.has(word))
    return isThere ? among.findLast((entry) => isSameItem(entry, item)) : undefined
  }

  /** The items that were told of under an index, which is one but for servers that give all of them the same. */
  function at(place: number): Entry[] {
    const known = places.get(place) ?? []
    if (known.length === 0) places.set(place, known)
    return known
  }

  const isIndex = (index: unknown): index is number =>
    typeof index === 'number' && Number.isSafeInteger(index) && index >= 0

  /** The item that an event means: by its index, which is what most servers keep; else by its id, or the last of its kind. */
  function entryOf({ output_index, item_id }: ResponsesEvent, type: string): Entry {
    const place = isIndex(output_index) ? output_index : undefined
    const there = place === undefined ? [] : at(place)
    if (there.length === 1 && there[0]?.type === type) return there[0]
    const known = there.findLast((entry) => entry.type === type && isNamed(entry, item_id))
    const latest = known ?? there.findLast((entry) => entry.type === type)
    if (latest) return latest
    if (place !== undefined && there.length === 0) return add({ type, id: item_id }, place)
    const all = [...entries.values()]
    const other =
      all.find((entry) => entry.type === type && isNamed(entry, item_id)) ??
      all.findLast((entry) => entry.type === type && !entry.done)
    if (!other) return add({ type, id: item_id }, place)
    if (place !== undefined) there.push(other)
    return other
  }

  function readItem({ type, item, output_index }: ResponsesEvent): void {
    if (!isObject(item) || typeof item['type'] !== 'string') return
    const isDone = type === 'response.output_item.done'
    const entry = placeOf(output_index, item, isDone)
    if (isDone) finish(entry, item)
    else fill(entry, item)
  }

  function placeOf(index: unknown, item: Fields, isDone: boolean): Entry {
    const place = isIndex(index) ? index : undefined
    const there = place === undefined ? [] : at(place)
    const latest = there.findLast(({ type }) => type === item['type'])
    if (latest) {
      const known = lastSame(there, item)
      return known ?? (isAnother(latest, item, isDone) ? add(item, place) : latest)
    }
    if (place !== undefined && there.length === 0) return add(item, place)
    return lastSame([...entries.values()], item) ?? add(item, place)
  }

  /** What a whole item says, beyond what was said in it already. */
  function fill(entry: Entry, item: Fields): void {
    const { fields } = entry
    entry.fields = { ...fields, ...item }
    learn(item)
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
    showTexts(entry)
    showThoughts(entry)
    messages.finished()
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
    const before = text.text
    const piece = whole ? text.whole(words) : text.add(words)
    late ||= entry.given && text.text !== before
    if (text.passed) return messages.say(entry, '', piece !== '' || text.broken)
    text.waiting += piece
    showTexts(entry)
    if (whole) messages.finished()
  }

  const think: Items['think'] = (entry, where, index, words, whole) =>
    thinkIn(entry, where, entry[where].at(index), words, whole)

  function thinkIn(entry: Entry, where: 'texts' | 'summary', text: Spoken, words: unknown, whole: boolean): void {
    if (typeof words !== 'string') return
    if (words !== '') entry.thought ??= where
    const before = text.text
    const piece = whole ? text.whole(words) : text.add(words)
    if (entry.thought !== where) return
    late ||= entry.given && text.text !== before
    if (text.passed) return messages.think(entry, '', { broken: piece !== '' || text.broken, first: false })
    text.waiting += piece
    showThoughts(entry)
    if (whole) messages.finished()
  }

  /** What is said in a later part waits for the earlier: a message has one text. */
  function showTexts(entry: Entry): void {
    entry.texts.show(entry.done, (part, piece) => messages.say(entry, piece, part.broken))
  }

  function showThoughts(entry: Entry): void {
    if (!entry.thought) return
    entry[entry.thought].show(entry.done, (part, piece) => {
      const first = !part.begun
      part.begun ||= piece !== ''
      messages.think(entry, piece, { broken: part.broken, first })
    })
  }

  function write(entry: Entry, args: unknown, whole: boolean): void {
    const before = entry.args.text
    entry.held += whole ? entry.args.whole(args) : entry.args.add(args)
    // What a provider has run already is run, whatever it says of it later.
    late ||= entry.given && entry.kind?.runner !== 'server' && entry.args.text !== before
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
    const found = output.map((item, position) => {
      const stands = inOrder[position]
      const isInPlace = stands !== undefined && left.has(stands) && isSameItem(stands, item)
      const known = isInPlace ? stands : inOrder.find((entry) => left.has(entry) && isSameItem(entry, item))
      if (known) left.delete(known)
      return known
    })
    output.forEach((item, position) => {
      const stands = inOrder[position]
      const entry =
        found[position] ?? (stands && left.delete(stands) && stands.type === item['type'] ? stands : add(item))
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
    get begun() {
      return entries.size > 0
    },
    get refused() {
      return refused
    },
    get late() {
      return late
    },
  }
}

const isEnd = ({ type }: ResponsesEvent): boolean => type.endsWith('.done')

const isSame = (one: unknown, other: unknown): boolean => typeof one === 'string' && one !== '' && one === other

const isNamed = ({ id }: Entry, name: unknown): boolean => id !== '' && id === name

const isWord = (value: unknown): value is string => typeof value === 'string' && value !== ''

function isSameItem(entry: Entry, { type, id, call_id }: Fields): boolean {
  const own = entry.fields['call_id']
  return entry.type === type && (isWord(own) && isWord(call_id) ? own === call_id : isNamed(entry, id))
}

/** An item of the same index is another where it is another call, or begins when the first is over. */
function isAnother({ fields, done }: Entry, { call_id }: Fields, isDone: boolean): boolean {
  const own = fields['call_id']
  return (isWord(own) && isWord(call_id) && own !== call_id) || (done && !isDone)
}
