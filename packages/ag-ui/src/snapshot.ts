/** The whole conversation as it stands, which is how this wire takes something back. */
import {
  argumentsOf,
  type CallItem,
  type Message,
  type Preview,
  type RunContext,
  type ToolResultFact,
  type Turn,
} from '@factwire/core'
import { textOfContent } from './content.ts'
import { assistantMessage, history, reasoningId, reasoningMessage, type ResultIds, toolMessage } from './history.ts'
import type { Stage } from './stage.ts'
import type { AgUiEvent } from './wire.ts'
import type { AgUiMessage, ToolCall } from './wire-message.ts'

export interface Conversation {
  /** A snapshot can be given: the thread's earlier messages are known. */
  readonly known: boolean
  /** A message has all its facts. */
  add(turn: Turn): void
  addResult(ids: ResultIds, callId: string, fact: ToolResultFact): void
  /** Somebody else said something. Who said it has it already: the others are given it with a snapshot. */
  say(messages: readonly Message[]): void
  /** The committed messages, and those that are still being written as far as they are shown; without some thoughts. */
  whole(gone?: readonly string[]): AgUiEvent
  /** The committed messages alone. */
  committed(): AgUiEvent
}

export interface ConversationOptions {
  /** Results are text: clients before 1.0 refuse a message with anything else. */
  readonly textResults: boolean
  /** Earlier thoughts are named. */
  readonly reasoning: boolean
}

export function createConversation(
  run: Pick<RunContext, 'history'>,
  preview: Preview,
  stage: Stage,
  { textResults, reasoning }: ConversationOptions,
): Conversation {
  const known = run.history !== undefined
  const messages: AgUiMessage[] = history({ messages: run.history ?? [] }, { reasoning }).map(readable)

  function readable(message: AgUiMessage): AgUiMessage {
    return textResults && message.role === 'tool' ? { ...message, content: textOfContent(message.content) } : message
  }

  function snapshot(more: readonly AgUiMessage[]): AgUiEvent {
    return { type: 'MESSAGES_SNAPSHOT', messages: [...messages, ...more] }
  }

  function previews(): AgUiMessage[] {
    return preview.live().flatMap((turn) => (stage.knows(turn) ? shownMessages(turn, stage.shown(turn).id) : []))
  }

  return {
    known,
    add(turn) {
      if (!known) return
      const { id } = stage.shown(turn)
      const { thinking, message, calls } = turn.truth
      const thought = thinking?.text ?? turn.reasoning.shown.join('')
      if (thought !== '' || thinking?.encrypted !== undefined) {
        const { signature, encrypted } = thinking ?? {}
        messages.push(reasoningMessage(reasoningId(id), thought, { signature, encrypted }))
      }
      if (!message && calls.length === 0) return
      messages.push(assistantMessage(id, turn.text.shown.join(''), calls.map(shapeCall)))
    },
    addResult(ids, callId, fact) {
      if (known) messages.push(readable(toolMessage(ids, callId, fact)))
    },
    say(said) {
      if (known) messages.push(...history({ messages: said }))
    },
    // A client keeps its reasoning unless the snapshot holds some: what goes is named, and empty.
    whole: (gone = []) => snapshot([...previews(), ...gone.map((id) => reasoningMessage(id, '', {}))]),
    committed: () => snapshot([]),
  }
}

function shownMessages(turn: Turn, id: string): AgUiMessage[] {
  const calls = [...turn.calls.values()].filter((call) => call.announced)
  const messages: AgUiMessage[] = []
  const thought = turn.reasoning.shown.join('')
  if (thought !== '') messages.push(reasoningMessage(reasoningId(id), thought, {}))
  if (turn.text.shown.length > 0 || calls.length > 0) {
    messages.push(assistantMessage(id, turn.text.shown.join(''), calls.map(shapeCall)))
  }
  return messages
}

function shapeCall({ wireId, name, fact, shown }: CallItem): ToolCall {
  const args = fact ? argumentsOf(fact) : shown.join('')
  return { id: wireId, type: 'function', function: { name: fact?.name ?? name, arguments: args } }
}
