/** A whole thread, message by message, for whoever shapes it as a wire has it; and what is in a message. */
import { match } from 'ts-pattern'
import type { ContentBlock, ToolResultBlock } from './content.ts'
import { type Message, callsOf } from './thread.ts'

/** The one emptiness test of all folds: a message has text if any of its text blocks is not empty. White space is text. */
export function hasText(message: Message): boolean {
  return message.content.some((block) => block.type === 'text' && block.text !== '')
}

export function resultsOf(message: Message): ToolResultBlock[] {
  return message.content.filter((block) => block.type === 'tool_result')
}

/** Who receives a thread's history, in its order. */
export interface HistorySink {
  system(message: Message): void
  user(message: Message): void
  /** What a user sent without a word. Without this it is left out, as a message without text is. */
  media?(message: Message): void
  /** Called for a message with text or calls. */
  assistant(message: Message): void
  /** `index` counts the results within the tool message. */
  toolResult(result: ToolResultBlock, messageId: string, index: number): void
}

/** Walks a whole thread. Messages without text are left out, but for assistants that made calls. */
export function foldHistory(messages: readonly Message[], sink: HistorySink): void {
  for (const message of messages) {
    match(message.role)
      .with('system', () => {
        if (hasText(message)) sink.system(message)
      })
      .with('user', () => {
        if (hasText(message)) sink.user(message)
        else if (message.content.some(isMedia)) sink.media?.(message)
      })
      .with('assistant', () => {
        if (hasText(message) || callsOf(message).length > 0) sink.assistant(message)
      })
      .with('tool', () => resultsOf(message).forEach((result, index) => sink.toolResult(result, message.id, index)))
      .exhaustive()
  }
}

function isMedia(block: ContentBlock): boolean {
  return block.type === 'image' || block.type === 'document' || block.type === 'search_result'
}
