/** Turns pieces of a text into the whole, and into what of it can be shown at once. */

export interface Piece {
  readonly delta: string
  readonly offset: number
}

export interface Growth {
  readonly text: string
  /** Undefined when there is nothing to show yet. */
  add(fragment: string): Piece | undefined
}

export function growth(): Growth {
  let text = ''
  let shown = 0
  // The first half of a surrogate pair that was cut: alone it would not survive being written as UTF-8.
  let half = ''

  return {
    get text() {
      return text
    },
    add(fragment) {
      if (fragment === '') return undefined
      text += fragment
      let delta = half + fragment
      half = ''
      const last = delta.charCodeAt(delta.length - 1)
      if (last >= 0xd800 && last <= 0xdbff) {
        half = delta.slice(-1)
        delta = delta.slice(0, -1)
        if (delta === '') return undefined
      }
      const offset = shown
      shown += delta.length
      return { delta, offset }
    },
  }
}
