/** Turns pieces of a text, and the whole of it that comes again and again, into the text and into what of it can be shown at once. */
import { hasAt } from '@factwire/core'

export interface Spoken {
  /** As far as it is known. */
  readonly text: string
  /** What was shown is not its beginning: nothing more of it is shown. */
  readonly broken: boolean
  /** The whole was told. */
  readonly told: boolean
  /** What waits until the parts before it are told: they are one text. */
  waiting: string
  /** Something of it was shown. */
  begun: boolean
  /** A later part was shown: what comes of this one now has no place any more. */
  passed: boolean
  /** Each gives what is to be shown now, empty for nothing. */
  add(fragment: unknown): string
  /** The whole, as a consolidated event has it. An empty one says nothing: servers send it in place of what they did not keep. */
  whole(text: unknown): string
}

export function spoken(): Spoken {
  let text = ''
  let shown = 0
  let broken = false
  let told = false
  /** The first half of a surrogate pair that was cut: alone it would not survive being written as UTF-8. */
  let half = ''

  function show(piece: string): string {
    shown += piece.length
    return piece
  }

  return {
    get text() {
      return text
    },
    get broken() {
      return broken
    },
    get told() {
      return told
    },
    waiting: '',
    begun: false,
    passed: false,
    add(fragment) {
      // What comes after the whole is a copy.
      if (typeof fragment !== 'string' || fragment === '' || told) return ''
      text += fragment
      const piece = half + fragment
      const last = piece.charCodeAt(piece.length - 1)
      half = last >= 0xd800 && last <= 0xdbff ? piece.slice(-1) : ''
      return show(half === '' ? piece : piece.slice(0, -1))
    },
    whole(given) {
      if (typeof given !== 'string') return ''
      told = true
      if (given !== '' || text === '') {
        broken ||= !hasAt(given, text.slice(0, shown))
        text = given
      }
      return broken ? '' : show(text.slice(shown))
    },
  }
}

/** Texts by their index. */
export interface SpokenList {
  at(index: unknown): Spoken
  /** Those of a whole list. An index beyond its end was none of it (some servers give that of the item): then they are told by order. */
  first(count: number): readonly Spoken[]
  all(): readonly Spoken[]
  /** There are some, and the whole of each was told. */
  told(): boolean
  /** Shows what waits, part by part, up to the first that is not told. `all`: nothing more will be said in any. */
  show(all: boolean, each: (part: Spoken, piece: string) => void): void
}

export function spokenList(): SpokenList {
  const texts = new Map<number, Spoken>()
  /** The parts in order, and how many of them are told and shown: undefined where one came out of order since. */
  let order: Spoken[] | undefined = []
  let last = -1
  let front = 0

  function at(index: unknown): Spoken {
    const key = typeof index === 'number' ? index : 0
    let text = texts.get(key)
    if (!text) {
      text = spoken()
      texts.set(key, text)
      if (key > last) order?.push(text)
      else order = undefined
      last = Math.max(last, key)
    }
    return text
  }

  const inOrder = (): [number, Spoken][] => [...texts].toSorted(([one], [other]) => one - other)

  return {
    at,
    first(count) {
      const known = inOrder()
      const behind = last + 1
      if (last < count) return Array.from({ length: count }, (_, index) => at(index))
      return Array.from({ length: count }, (_, place) => known[place]?.[1] ?? at(behind + place))
    },
    all: () => inOrder().map(([, text]) => text),
    told: () => texts.size > 0 && [...texts.values()].every((text) => text.told),
    show(all, each) {
      if (!order) front = 0
      order ??= inOrder().map(([, text]) => text)
      for (let part = order[front]; part; part = order[++front]) {
        const piece = part.waiting
        part.waiting = ''
        if (piece !== '' || part.broken) each(part, piece)
        if (front === order.length - 1 || (!part.told && !all)) return
        part.passed = true
      }
    },
  }
}
