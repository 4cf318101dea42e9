/** What the official chat keeps its messages in, without a page around it. */
import type { ChatState, UIMessage } from 'ai'

export function chatState(messages: UIMessage[]): ChatState<UIMessage> {
  return {
    status: 'ready',
    error: undefined,
    messages,
    pushMessage(message) {
      this.messages = [...this.messages, message]
    },
    popMessage() {
      this.messages = this.messages.slice(0, -1)
    },
    replaceMessage(index, message) {
      this.messages = this.messages.with(index, message)
    },
    snapshot: structuredClone,
  }
}
