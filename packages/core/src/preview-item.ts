/** Text that arrives in fragments, as one client has seen it: a message's text, its reasoning, or the arguments of a call. */
import { hasAt } from './has-at.ts'

export interface Item {
  /**
   * What the client has seen, in pieces that are not empty. Nothing is joined before somebody needs the whole: a text that grows
   * by each fragment is as many nodes for the collector, and is put together from all of them when the fact comes.
   */
  shown: string[]
  /** Accepted, and waiting until its turn is the front one. */
  held: string
  /** UTF-16 units accepted so far. */
  end: number
  /** Fragments behind a hole, by offset. */
  parked: Map<number, string> | undefined
  /** After a reset that took nothing back: how much of `shown` the new attempt has said again; Infinity once it differs. */
  repeated: number | undefined
}

export function newItem(): Item {
  return { shown: [], held: '', end: 0, parked: undefined, repeated: undefined }
}

/** What an item holds back, to be shown now, and what has come just now. */
export function unhold(item: Item, news = ''): string {
  const shown = item.held + news
  if (shown !== '') item.shown.push(shown)
  item.held = ''
  return shown
}

/** Takes back what was shown: it is held again. */
export function withhold(item: Item): void {
  item.held = item.shown.join('') + item.held
  item.shown = []
}

/** Begins to take the same text again, from its start. */
export function repeatItem(item: Item): void {
  if (item.shown.length > 0) item.repeated = 0
  item.shown = item.shown.length > 0 ? [item.shown.join('')] : []
  item.held = ''
  item.end = 0
  item.parked = undefined
}

/** What a fragment adds: nothing if it was there before, nothing yet if a piece before it is missing. */
export function accept(item: Item, fragment: string, offset: number | undefined): string {
  const fresh = place(item, fragment, offset)
  return fresh === '' || item.repeated === undefined ? fresh : beyondRepeated(item, item.repeated, fresh)
}

function place(item: Item, fragment: string, offset: number | undefined): string {
  if (offset === undefined) {
    if (item.parked) return ''
    item.end += fragment.length
    return fragment
  }
  const { end } = item
  if (offset > end) {
    item.parked ??= new Map()
    item.parked.set(offset, fragment)
    return ''
  }
  const after = offset + fragment.length
  if (after <= end) return ''
  let fresh = offset === end ? fragment : fragment.slice(end - offset)
  item.end = after
  if (item.parked) fresh += unpark(item, item.parked)
  return fresh
}

/** The pieces that join on, now that the hole before them is filled. */
function unpark(item: Item, parked: Map<number, string>): string {
  let joined = ''
  for (let next = parked.get(item.end); next; next = parked.get(item.end)) {
    parked.delete(item.end)
    item.end += next.length
    joined += next
  }
  if (parked.size === 0) item.parked = undefined
  return joined
}

/** What a new attempt says beyond what was shown of the one before; nothing at all once it says something else. */
function beyondRepeated(item: Item, from: number, fresh: string): string {
  if (from === Infinity) return ''
  const [shown = ''] = item.shown
  const known = fresh.slice(0, shown.length - from)
  if (!hasAt(shown, known, from)) {
    item.repeated = Infinity
    return ''
  }
  item.repeated = from + known.length
  if (item.repeated === shown.length) item.repeated = undefined
  return fresh.slice(known.length)
}
