/** Turns pieces of a text, and the whole of it that comes again and again, into the text and into what of it can be shown at once. */

export interface Spoken {
  /** As far as it is known. */
  readonly text: string
  /** What was shown is not its beginning: nothing more of it is shown. */
  readonly broken: boolean
  /** The whole was told. */
  readonly told: boolean
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

  /** The first half of a surrogate pair that was cut is held back: alone it would not survive being written as UTF-8. */
  function show(): string {
    if (broken) return ''
    const last = text.charCodeAt(text.length - 1)
    const until = !told && last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length
    const piece = text.slice(shown, until)
    shown = Math.max(shown, until)
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
    add(fragment) {
      // What comes after the whole is a copy.
      if (typeof fragment !== 'string' || fragment === '' || told) return ''
      text += fragment
      return show()
    },
    whole(given) {
      if (typeof given !== 'string') return ''
      told = true
      if (given === '' && text !== '') return show()
      broken ||= !given.startsWith(text.slice(0, shown))
      text = given
      return show()
    },
  }
}

/** Texts by their index. */
export interface SpokenList {
  at(index: unknown): Spoken
  all(): readonly Spoken[]
}

export function spokenList(): SpokenList {
  const texts = new Map<number, Spoken>()
  return {
    at(index) {
      const key = typeof index === 'number' ? index : 0
      let text = texts.get(key)
      if (!text) {
        text = spoken()
        texts.set(key, text)
      }
      return text
    },
    all: () => [...texts].toSorted(([one], [other]) => one - other).map(([, text]) => text),
  }
}
