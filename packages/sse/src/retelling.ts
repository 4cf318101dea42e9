/**
 * Content of a committed message that is told once more, to a reader that had lost the thread: what is known already goes,
 * what is new stays.
 */
import { hasAt, type Message, textOf } from '@factwire/core'
import type { FlatEvent, RunStartEvent } from './wire.ts'

/** Whatever is told between two starts of a run. */
export type ToldEvent = Exclude<FlatEvent, RunStartEvent>

export interface Retelling {
  /** What an event says beyond the message; undefined when it is nothing. */
  news(event: ToldEvent): ToldEvent | undefined
}

export function retelling(message: Message | undefined): Retelling {
  const text = textOf(message?.content ?? [])
  const calls = new Set(message?.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])))
  let heard = ''

  /** Another text is another message, with what of it was taken for the old one. */
  function newText(delta: string): string {
    heard += delta
    if (hasAt(text, heard)) return ''
    return hasAt(heard, text) ? heard.slice(text.length) : heard
  }

  return {
    news(event) {
      switch (event.event_type) {
        case 'text_delta': {
          const delta = newText(event.delta)
          return delta === '' ? undefined : { ...event, delta }
        }
        case 'reasoning_delta':
        case 'reasoning_encrypted_value':
          return undefined
        case 'tool_call_start':
        case 'tool_call_delta':
        case 'tool_call_ready':
          return calls.has(event.id) ? undefined : event
        default:
          return event
      }
    },
  }
}

/** What a message is made of. */
export function isContent({ event_type }: ToldEvent): boolean {
  switch (event_type) {
    case 'text_delta':
    case 'reasoning_delta':
    case 'reasoning_encrypted_value':
    case 'tool_call_start':
    case 'tool_call_delta':
    case 'tool_call_ready':
      return true
    default:
      return false
  }
}
