/** Whether the arguments of a call, as far as they are shown, are one complete object: then nothing but white space can follow. */

export interface ObjectReader {
  /** They are an object, as the wire wants it. False before the first character that is no white space. */
  begins(): boolean
  isWhole(): boolean
}

const FIRST = /[^ \t\r\n]/

/** Reads pieces as they are added to the list, each once. */
export function objectReader(pieces: readonly string[]): ObjectReader {
  let read = 0
  let depth = 0
  let begun: boolean | undefined
  let whole = false
  let quoted = false
  let escaped = false

  function follow(piece: string): void {
    for (let index = 0; index < piece.length && !whole; index++) {
      const unit = piece.charCodeAt(index)
      if (escaped) escaped = false
      else if (quoted) {
        if (unit === 0x5c) escaped = true
        else if (unit === 0x22) quoted = false
      } else if (unit === 0x22) quoted = true
      else if (unit === 0x7b || unit === 0x5b) depth++
      else if (unit === 0x7d || unit === 0x5d) whole = --depth === 0
    }
  }

  return {
    begins() {
      for (let at = 0; begun === undefined && at < pieces.length; at++) {
        const first = FIRST.exec(pieces[at] ?? '')
        if (first) begun = first[0] === '{'
      }
      return begun ?? false
    },
    isWhole() {
      for (; read < pieces.length; read++) follow(pieces[read] ?? '')
      return whole
    },
  }
}
