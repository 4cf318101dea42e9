/**
 * The one message of an answer that its wire tells as several, or in several commits, because the provider ran tools of its own in
 * between.
 *
 * What the provider runs is its own affair: of its calls nothing is shown or kept, of what it said around them everything. Between what
 * two messages say there is a blank line, where it is shown as where it is kept.
 */
import type { Commit, ContentBlock, Delta, Message, TextBlock } from '@factwire/core'

export interface WholeAnswer {
  /** As it is to be shown; undefined for what the agent has nothing to do with. */
  shown(delta: Delta): Delta | undefined
  /** What is committed while the answer goes on. */
  add(commit: Commit): void
  /** The commit that ends the answer, with its message whole. */
  end(commit: Commit): Commit
}

const BETWEEN = '\n\n'

export function wholeAnswer(): WholeAnswer {
  const earlier: Message[] = []
  /** Ids of calls that the provider runs, or would run if somebody agreed. */
  const elsewhere = new Set<string>()
  /** There are words in earlier messages, and thoughts. */
  const said = { text: false, thought: false }
  /** What comes next is the first of another message. */
  let parts = false
  let thoughtParts = false

  function shown(delta: Delta): Delta | undefined {
    switch (delta.type) {
      case 'text_delta': {
        if (!parts || delta.delta === '') return delta
        parts = false
        return { ...delta, delta: BETWEEN + delta.delta }
      }
      case 'reasoning_delta': {
        if (!thoughtParts || delta.delta === '') return delta
        thoughtParts = false
        return { ...delta, delta: BETWEEN + delta.delta }
      }
      case 'tool_call_delta':
        if (delta.disposition === 'executed' || delta.disposition === 'pending_builtin') elsewhere.add(delta.id)
        return elsewhere.has(delta.id) ? undefined : delta
      default:
        return delta
    }
  }

  return {
    shown,

    add({ messages }) {
      earlier.push(...messages)
      for (const { content } of messages.filter(isAssistants)) {
        said.text ||= content.some(isText)
        said.thought ||= content.some(isThought)
        parts = said.text
        thoughtParts = said.thought
      }
    },

    end(commit) {
      if (earlier.length === 0 && elsewhere.size === 0) return commit
      const answers = [...earlier, ...commit.messages].filter(isAssistants)
      const [first] = answers
      const content = joined(answers).filter((block) => block.type !== 'tool_use' || !elsewhere.has(block.id))
      const message: readonly Message[] = first && content.length > 0 ? [{ ...first, content }] : []
      return { ...commit, messages: [...message, ...commit.messages.filter((other) => !isAssistants(other))] }
    },
  }
}

function joined(messages: readonly Message[]): readonly ContentBlock[] {
  const said = { text: false, thought: false }
  return messages.flatMap(({ content }) => {
    const text = said.text ? content.find(isText) : undefined
    const thought = said.thought ? content.find(isThought) : undefined
    said.text ||= content.some(isText)
    said.thought ||= content.some(isThought)
    return content.flatMap((block): readonly ContentBlock[] => {
      if (text && block === text) return [{ ...text, text: BETWEEN + text.text }]
      // On its own: a signature is that of the words that it came with.
      return thought && block === thought ? [{ type: 'thinking', text: BETWEEN }, block] : [block]
    })
  })
}

const isAssistants = ({ role }: Message): boolean => role === 'assistant'
const isText = (block: ContentBlock): block is TextBlock => block.type === 'text' && block.text !== ''
const isThought = (block: ContentBlock): boolean => block.type === 'thinking' && block.text !== ''
