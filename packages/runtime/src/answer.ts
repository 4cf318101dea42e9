/** What a step makes of an answer: the message that is committed, from all attempts that it took. */
import type { ContentBlock, Message, ToolUseBlock } from '@factwire/core'

/** What earlier attempts have left: their text stands before that of the last. */
export interface Kept {
  text: string
  thought: string
}

/** Undefined when there is nothing to commit. `keeps` says which calls of it stay. */
export function messageOf(
  id: string,
  kept: Kept,
  last: Message | undefined,
  keeps: (call: ToolUseBlock) => boolean,
): Message | undefined {
  const content: ContentBlock[] = kept.thought === '' ? [] : [{ type: 'thinking', text: kept.thought }]
  let text = kept.text
  const blocks = withoutOrphans(last?.content ?? [], keeps)
  for (const block of blocks) {
    if (text !== '' && block.type === 'tool_use') {
      content.push({ type: 'text', text })
      text = ''
    }
    if (block.type === 'text') {
      content.push({ ...block, text: text + block.text })
      text = ''
    } else content.push(block)
  }
  if (text !== '') content.push({ type: 'text', text })
  return content.length === 0 ? undefined : { id, role: 'assistant', content }
}

/** A thought without words right before a call is its signature, and goes with it. */
function withoutOrphans(
  content: readonly ContentBlock[],
  keeps: (call: ToolUseBlock) => boolean,
): readonly ContentBlock[] {
  const gone = (block: ContentBlock | undefined): boolean => block?.type === 'tool_use' && !keeps(block)
  return content.filter((block, index) => {
    const seals = block.type === 'thinking' && block.text === '' && gone(content[index + 1])
    return !gone(block) && !seals
  })
}
