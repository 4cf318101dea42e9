/**
 * Texts of one message by their ids, or its thoughts: shown one after the other, in the order in which they began, though a stream may
 * mix them. A message has one text: what is said in a later part waits until those before it are over.
 */

export interface Line<Part> {
  /** Puts a part behind those that there are. One of that id that is open is over. */
  begin(id: string, part: Part): Part
  /** The one of that id that is open. */
  of(id: string): Part | undefined
  /** Each gives what is to be shown now, empty for nothing. */
  say(part: Part, piece: string): string
  end(id: string): string
  /** Something may still be said in one. */
  isOpen(): boolean
}

export interface Said {
  text: string
}

export function line<Part extends Said>(): Line<Part> {
  const open = new Map<string, Part>()
  const parts: Part[] = []
  const waiting = new Map<Part, string>()
  const over = new Set<Part>()
  let front = 0

  function close(id: string): void {
    const part = open.get(id)
    if (part) over.add(part)
    open.delete(id)
  }

  /** What waits, part by part, up to the first that is not over. */
  function release(): string {
    let shown = ''
    for (let part = parts[front]; part && over.has(part); part = parts[front]) {
      front++
      const next = parts[front]
      shown += (next && waiting.get(next)) ?? ''
      if (next) waiting.delete(next)
    }
    return shown
  }

  return {
    begin(id, part) {
      close(id)
      open.set(id, part)
      parts.push(part)
      return part
    },
    of: (id) => open.get(id),
    say(part, piece) {
      part.text += piece
      if (part === parts[front]) return piece
      waiting.set(part, (waiting.get(part) ?? '') + piece)
      // The one before it may be over because it began anew.
      return release()
    },
    end(id) {
      close(id)
      return release()
    },
    isOpen: () => open.size > 0,
  }
}
