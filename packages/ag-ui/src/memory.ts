/** The conversation as a snapshot told it before anything else came: a stream that is joined goes on with its open messages. */
import type { AgUiMessage, AssistantMessage } from './wire-message.ts'

export interface Memory {
  /** Gives the ids of the messages whose calls have results. */
  set(messages: readonly AgUiMessage[]): Iterable<string>
  has(messageId: string): boolean
  /** Once: what comes later for that id is another message. */
  take(messageId: string): AssistantMessage | undefined
  takeThought(id: string): string | undefined
  /** A call of that message, or of any, that has its result. */
  isAnswered(callId: string, messageId: string | undefined): boolean
}

export function createMemory(): Memory {
  let byId = new Map<string, AgUiMessage>()
  /** The message of each call that has its result. */
  let answered = new Map<string, string>()

  return {
    set(messages) {
      byId = new Map(messages.map((message) => [message.id, message]))
      const owners = new Map<string, string>()
      answered = new Map()
      for (const message of messages) {
        if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) owners.set(id, message.id)
        if (message.role === 'tool') answered.set(message.toolCallId, owners.get(message.toolCallId) ?? '')
      }
      for (const id of answered.values()) byId.delete(id)
      return new Set(answered.values())
    },
    has: (messageId) => byId.get(messageId)?.role === 'assistant',
    take(messageId) {
      const message = byId.get(messageId)
      if (message?.role !== 'assistant') return undefined
      byId.delete(messageId)
      return message
    },
    takeThought(id) {
      const message = byId.get(id)
      if (message?.role !== 'reasoning') return undefined
      byId.delete(id)
      return message.content
    },
    isAnswered: (callId, messageId) => messageId !== undefined && answered.get(callId) === messageId,
  }
}
