/**
 * Turns the committed thread into the input items of a request: calls and their results beside the messages.
 *
 * Providers want every call answered before anything else follows. A committed thread has those results, because a run that ends
 * commits them; nothing is invented here for one that has not.
 */
import { argumentsOf, type Committed, type ContentBlock, foldHistory, type Message, textOf } from '@factwire/core'
import { contentOf } from './content.ts'
import type { InputItem } from './input.ts'

/** Thoughts go back where their provider wants them: encrypted, under the id that they came with. */
export function history({ messages }: Pick<Committed, 'messages'>): InputItem[] {
  const items: InputItem[] = []
  const user = ({ content }: Message): number =>
    items.push({ type: 'message', role: 'user', content: contentOf(content) })
  foldHistory(messages, {
    system: ({ content }) => items.push({ type: 'message', role: 'system', content: textOf(content) }),
    user,
    // A model is to see what it was sent.
    media: user,
    assistant: ({ content }) => items.push(...assistantItems(content)),
    toolResult: ({ tool_use_id, content }) =>
      items.push({ type: 'function_call_output', call_id: tool_use_id, output: contentOf(content) }),
  })
  return items
}

function assistantItems(content: readonly ContentBlock[]): InputItem[] {
  const items: InputItem[] = []
  let text = ''
  const say = (): void => {
    if (text !== '') items.push({ type: 'message', role: 'assistant', content: text })
    text = ''
  }
  for (const block of content) {
    if (block.type === 'text') text += block.text
    else if (block.type === 'thinking') {
      const { text: thought, signature: id, encrypted } = block
      // A thought of another provider has another kind of seal.
      if (id === undefined || encrypted === undefined || !id.startsWith('rs_')) continue
      say()
      const summary = thought === '' ? [] : [{ type: 'summary_text', text: thought } as const]
      items.push({ type: 'reasoning', id, summary, encrypted_content: encrypted })
    } else if (block.type === 'tool_use') {
      say()
      items.push({ type: 'function_call', call_id: block.id, name: block.name, arguments: argumentsOf(block) })
    }
  }
  say()
  return items
}
