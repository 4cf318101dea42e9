/**
 * Splits `<think>…</think>` off the start of a text that comes in pieces.
 *
 * Only at the start: the same words later are what the model wrote about tags.
 */

const OPEN = '<think>'
const CLOSE = '</think>'
/** Endless white space is not the way to a tag. */
const LONGEST_HELD = 1024

export interface Split {
  readonly reasoning: string
  readonly text: string
}

export interface TagSplitter {
  add(fragment: string): Split
  /** What was held back because it could have become a tag. */
  end(): Split
}

/** `opened`: the opening tag was part of the prompt, so the text starts inside it. */
export function tagSplitter(opened: boolean): TagSplitter {
  let at: 'start' | 'inside' | 'after' = opened ? 'inside' : 'start'
  let held = ''
  // A template that opens the tag does not keep a model from opening it again.
  let mayOpen = opened

  function add(fragment: string): Split {
    if (at === 'after') return { reasoning: '', text: fragment }
    held += fragment
    if (at === 'start' || mayOpen) {
      const start = held.trimStart()
      if (held.length < LONGEST_HELD && OPEN.startsWith(start)) return { reasoning: '', text: '' }
      mayOpen = false
      if (start.startsWith(OPEN)) {
        at = 'inside'
        held = start.slice(OPEN.length)
      } else if (at === 'start') {
        at = 'after'
        return { reasoning: '', text: release() }
      }
    }
    return inside()
  }

  function inside(): Split {
    const close = held.indexOf(CLOSE)
    if (close >= 0) {
      at = 'after'
      const all = release()
      return { reasoning: all.slice(0, close), text: all.slice(close + CLOSE.length) }
    }
    let keep = Math.min(held.length, CLOSE.length - 1)
    while (keep > 0 && !CLOSE.startsWith(held.slice(-keep))) keep--
    const all = release()
    held = keep === 0 ? '' : all.slice(-keep)
    return { reasoning: keep === 0 ? all : all.slice(0, -keep), text: '' }
  }

  function release(): string {
    const all = held
    held = ''
    return all
  }

  return {
    add,
    end: () => (at === 'inside' ? { reasoning: release(), text: '' } : { reasoning: '', text: release() }),
  }
}
