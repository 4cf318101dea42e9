/**
 * Which messages of a thread are one UI message: all that the assistant says between two messages of a user, however many model
 * turns and pauses there are in it.
 *
 * Its id comes from the message that it answers. So it is known before the first word, and the same live, on replay and in `history`,
 * whoever made the ids of the assistant's own messages.
 */
import { callsOf, type Message, type OpenCall } from '@factwire/core'

/** The id of the UI message that answers a user's. Before any user said something there is one as well. */
export const answerId = (userMessageId: string | undefined): string =>
  userMessageId === undefined ? 'answer' : `answer-to-${userMessageId}`

/** The UI message that a thread ends with, or that comes next. */
export interface OpenTurn {
  readonly id: string
  /** It has begun before. */
  readonly goesOn: boolean
  readonly messages: readonly Message[]
}

/**
 * `begun`: how many messages there were when the run began. What a user says after that steers the run and begins no other answer, and
 * nor does what was said while a call waited that still does.
 */
export function openTurn(messages: readonly Message[], begun: number = messages.length): OpenTurn {
  const before = messages.slice(0, begun)
  const goesOn = before.length > 0 && before.at(-1)?.role !== 'user'
  const waits = goesOn ? unanswered(before)[0]?.message_id : undefined
  const last = before.findLastIndex(({ id, role }) => (waits === undefined ? role === 'assistant' : id === waits))
  const at = (goesOn ? before.slice(0, last + 1) : before).findLastIndex(({ role }) => role === 'user')
  return { id: answerId(messages[at]?.id), goesOn: goesOn && last >= 0, messages: messages.slice(at + 1) }
}

/** The calls of some messages that have no result among them, earliest first. */
export function unanswered(messages: readonly Message[]): readonly OpenCall[] {
  let open: readonly OpenCall[] = []
  for (const message of messages) {
    if (message.role === 'assistant') open = [...open, ...callsOf(message)]
    for (const block of message.content) {
      if (block.type !== 'tool_result') continue
      const at = open.findIndex(({ id }) => id === block.tool_use_id)
      if (at >= 0) open = open.toSpliced(at, 1)
    }
  }
  return open
}

/** Whether a message is a step of its own in the UI message: it shows something. */
export const isShown = ({ role, content }: Message, reasoning: boolean): boolean =>
  role === 'assistant' &&
  content.some(
    (block) =>
      block.type === 'tool_use' ||
      (block.type === 'text' && block.text !== '') ||
      (reasoning && block.type === 'thinking' && block.text !== ''),
  )
