/** Turns the text of an answer and the text of a refusal into one growing text, and into a block for each. */
import type { TextBlock } from '@factwire/core'
import { growth, type Piece } from './growth.ts'

export interface Words {
  readonly text: string
  readonly refused: boolean
  add(fragment: string, refusal: boolean): Piece | undefined
  blocks(): TextBlock[]
}

export function words(): Words {
  const whole = growth()
  const starts: number[] = []
  let refusing = false
  let refused = false

  return {
    get text() {
      return whole.text
    },
    get refused() {
      return refused
    },
    add(fragment, refusal) {
      if (fragment === '') return undefined
      if (starts.length === 0 || refusal !== refusing) starts.push(whole.text.length)
      refusing = refusal
      refused ||= refusal
      return whole.add(fragment)
    },
    blocks: () => starts.map((start, number) => ({ type: 'text', text: whole.text.slice(start, starts[number + 1]) })),
  }
}
