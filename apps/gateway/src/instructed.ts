/**
 * Keeps the words of the system where providers take them: first of all. What it says later is no part of the thread, where it would be
 * refused for good, but an instruction of the run that it came with.
 */
import type { Message } from '@factwire/core'

export interface Instructed {
  readonly messages: readonly Message[]
  readonly instructions?: string
}

/** `place`: where the messages stand in their thread. Its very first ones may be the system's. */
export function instructed(
  messages: readonly Message[],
  place: 'first' | 'behind',
  instructions: string | undefined,
): Instructed {
  const begun = place === 'behind' ? 0 : messages.findIndex(({ role }) => role !== 'system')
  const isLate = ({ role }: Message, index: number): boolean => role === 'system' && begun >= 0 && index >= begun
  const words = messages.filter(isLate).flatMap(({ content }) => content.flatMap(wordsOf))
  const all = instructions === undefined ? words : [instructions, ...words]
  return {
    messages: messages.filter((message, index) => !isLate(message, index)),
    ...(all.length === 0 ? {} : { instructions: all.join('\n\n') }),
  }
}

const wordsOf = (block: Message['content'][number]): readonly string[] => (block.type === 'text' ? [block.text] : [])
