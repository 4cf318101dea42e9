/** What a step commits: its message, and the results of its calls. */
import type { ContentBlock, Message, ToolResultBlock } from '@factwire/core'
import type { CallPlan, ResultPlan, StepPlan } from './plan.ts'

export const argumentsText = ({ input, spaced }: CallPlan): string =>
  JSON.stringify(input, undefined, spaced ? 1 : undefined)

export function messageOf(step: StepPlan, id: string, callId: (part: CallPlan) => string): Message {
  const content: ContentBlock[] = []
  if (step.thinking !== undefined) content.push({ type: 'thinking', text: step.thinking })
  for (const part of step.parts) {
    if (part.kind === 'text') content.push({ type: 'text', text: part.text })
    else if (!part.cancelled) {
      const raw = argumentsText(part)
      content.push({
        type: 'tool_use',
        id: callId(part),
        name: part.name,
        input: part.input,
        ...(raw === JSON.stringify(part.input) ? {} : { raw_input: raw }),
      })
    }
  }
  return { id, role: 'assistant', content }
}

export function resultOf(result: ResultPlan, call: string): ToolResultBlock {
  const { text, is_error, data, denied, image } = result
  const content: ContentBlock[] = [{ type: 'text', text }]
  if (image) content.push({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } })
  return {
    type: 'tool_result',
    tool_use_id: call,
    content,
    is_error: is_error || denied,
    ...(data === undefined || denied ? {} : { data }),
    ...(denied ? { denied: true } : {}),
  }
}
