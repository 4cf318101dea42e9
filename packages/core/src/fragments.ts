/** Numbers the fragments of one text, and holds back the first half of a surrogate pair until the second is there. */

/** A piece of a text that may be shown. */
export interface Fragment {
  readonly text: string
  /** Where it starts in the whole text, in UTF-16 units. */
  readonly offset: number
}

/** A text while it grows. */
export interface Fragments {
  /** What may be shown after this fragment; its text is empty when all of it has to wait. */
  next(fragment: string): Fragment
  /** The half that still waits, or nothing. */
  held(): string
}

/** Begins a text that comes in fragments. */
export function fragments(): Fragments {
  let shown = 0
  let held = ''
  return {
    next(fragment) {
      const text = held + fragment
      const cut = endsInHalf(text) ? text.length - 1 : text.length
      const offset = shown
      held = text.slice(cut)
      shown += cut
      return { text: text.slice(0, cut), offset }
    },
    held: () => held,
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}
