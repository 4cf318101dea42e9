/** Turns the parts of one assistant message, as they are read, into deltas at once and into content at the end. */
import type { Delta, TextBlock, ThinkingBlock } from '@factwire/core'
import type { ArgumentMode } from './arguments.ts'
import { assembleCalls, type CommittedCall } from './calls.ts'
import type { Piece } from './growth.ts'
import { reasoning } from './reasoning.ts'
import { type Split, tagSplitter } from './think-tags.ts'
import { words } from './words.ts'

export interface AnswerOptions {
  /** Ids of calls that the thread has already: a call that comes with one of them gets another. */
  readonly usedCallIds?: Iterable<string>
  /** How fragments of arguments are read. Default `detect`. */
  readonly toolArguments?: ArgumentMode
  /**
   * Whether `<think>…</think>` at the start of the text is reasoning: where it stands (`split`), or also where the prompt opened the
   * tag and only its end is seen (`opened`; then text without that end is reasoning as a whole). Default `off`.
   */
  readonly thinkTags?: 'off' | 'split' | 'opened'
  /** Drops a fragment of text or reasoning that equals the one before it. Default false: equal fragments are legal. */
  readonly dropRepeats?: boolean
  /** With `dropRepeats`: the text of the assistant's last message; a fragment that equals it is dropped too. */
  readonly previousText?: string
}

export interface Answer {
  text(fragment: string): void
  refusal(fragment: string): void
  thought(fragment: string): void
  /** `shown` is what another field of the same chunk says already. */
  thoughtDetails(details: readonly unknown[], shown: string): void
  thoughtSignature(signature: string): void
  call(fragment: unknown): void
  /** The answer is over, as far as one can tell. */
  settle(): void
  /** Text, reasoning or a piece of a call came since the answer was settled last. A signature only seals what came. */
  readonly unsettled: boolean
  /** Gives up what was held back, and gives what was said. */
  close(): Said
}

export interface Said {
  readonly thinking: readonly ThinkingBlock[]
  readonly text: readonly TextBlock[]
  readonly calls: readonly CommittedCall[]
  /** Arguments came for a call without a name. */
  readonly nameless: boolean
  readonly refused: boolean
}

export function answerOf(options: AnswerOptions, messageId: () => string, show: (delta: Delta) => void): Answer {
  const { dropRepeats = false, previousText, thinkTags = 'off', toolArguments = 'detect', usedCallIds = [] } = options
  const spoken = words()
  const thoughts = reasoning()
  const tags = thinkTags === 'off' ? undefined : tagSplitter(thinkTags === 'opened')
  const calls = assembleCalls({
    mode: toolArguments,
    used: usedCallIds,
    mint: (number) => `call_${messageId()}_${number}`,
    show: ({ id, name, delta, offset }) =>
      show({ type: 'tool_call_delta', id, name, args_delta: delta, message_id: messageId(), offset }),
  })
  // Reasoning came in a field of its own. Then the same between tags is a copy.
  let fielded = false
  let unsettled = false
  let lastText = ''
  let lastThought = ''

  function showText(piece: Piece | undefined): void {
    if (piece) show({ type: 'text_delta', delta: piece.delta, message_id: messageId(), offset: piece.offset })
  }

  function showThought(piece: Piece | undefined): void {
    if (piece) show({ type: 'reasoning_delta', delta: piece.delta, message_id: messageId(), offset: piece.offset })
  }

  function split({ reasoning: thought, text }: Split): void {
    if (!fielded) showThought(thoughts.add(thought))
    showText(spoken.add(text, false))
  }

  return {
    text(fragment) {
      if (dropRepeats && (fragment === lastText || fragment === previousText)) return
      lastText = fragment
      unsettled = true
      if (tags) split(tags.add(fragment))
      else showText(spoken.add(fragment, false))
    },
    refusal(fragment) {
      unsettled = true
      showText(spoken.add(fragment, true))
    },
    thought(fragment) {
      if (dropRepeats && fragment === lastThought) return
      lastThought = fragment
      fielded = true
      unsettled = true
      showThought(thoughts.add(fragment))
    },
    thoughtDetails(details, shown) {
      const before = thoughts.text.length
      const piece = thoughts.details(details, shown)
      fielded ||= piece !== undefined
      unsettled ||= thoughts.text.length > before
      showThought(piece)
    },
    thoughtSignature: (signature) => thoughts.sign(signature),
    call(fragment) {
      if (calls.add(fragment)) unsettled = true
    },
    settle() {
      unsettled = false
      calls.settle()
    },
    get unsettled() {
      return unsettled
    },
    close() {
      if (tags) split(tags.end())
      calls.settle()
      return {
        thinking: thoughts.blocks(),
        text: spoken.blocks(),
        calls: calls.committed(),
        nameless: calls.nameless,
        refused: spoken.refused,
      }
    },
  }
}
