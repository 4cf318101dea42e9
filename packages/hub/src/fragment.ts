/** The text that a delta brings, what of it stands at a place, and the text of a message that it is a fragment of. */
import { argumentsOf, type Delta, type Message, textOf } from '@factwire/core'

/** Undefined for a delta that brings none. */
export function textIn(delta: Delta): string | undefined {
  switch (delta.type) {
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_output_delta':
      return delta.delta
    case 'tool_call_delta':
      return delta.args_delta
    default:
      return undefined
  }
}

/** The same delta with another text. */
export function withText(delta: Delta, text: string): Delta {
  switch (delta.type) {
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_output_delta':
      return { ...delta, delta: text }
    case 'tool_call_delta':
      return { ...delta, args_delta: text }
    default:
      return delta
  }
}

export const headOf = (delta: Delta, units: number): Delta => withText(delta, textIn(delta)?.slice(0, units) ?? '')

/** What comes after so many units; undefined for nothing. */
export function tailOf(delta: Delta, units: number): Delta | undefined {
  if (units === 0) return delta
  const text = textIn(delta)
  if (text === undefined || text.length <= units) return undefined
  const tail = withText(delta, text.slice(units))
  return 'offset' in tail && tail.offset !== undefined ? { ...tail, offset: tail.offset + units } : tail
}

/** The whole that a message has come to of what a delta is a fragment of. */
export function committedText({ content }: Message, delta: Delta): string | undefined {
  switch (delta.type) {
    case 'text_delta':
      return textOf(content)
    case 'reasoning_delta':
      return content.map((block) => (block.type === 'thinking' ? block.text : '')).join('')
    case 'tool_call_delta': {
      const call = content.find((block) => block.type === 'tool_use' && block.id === delta.id)
      return call?.type === 'tool_use' ? argumentsOf(call) : undefined
    }
    default:
      return undefined
  }
}
