/** What a step commits: its message, and the results of its calls. */
import type { ContentBlock, Json, Message, ThinkingBlock, ToolResultBlock } from '@factwire/core'
import type { CallPlan, ResultPlan, StepPlan } from './plan.ts'

/** Arguments as the model writes them. */
export function argumentsText({ input, broken, raw, spaced }: CallPlan): string {
  return broken ?? raw ?? JSON.stringify(input, undefined, spaced ? 1 : undefined)
}

/** Their value as the producer parsed it. */
export function argumentsOf({ input, broken, raw }: CallPlan): Json {
  if (broken !== undefined) return null
  return raw === undefined ? input : (JSON.parse(raw) as Json)
}

/** All that the deltas say of what was thought. */
export const thoughtOf = ({ thinking, again }: StepPlan): string | undefined =>
  thinking === undefined ? undefined : thinking + (again ?? '')

export function messageOf(step: StepPlan, id: string, callId: (part: CallPlan) => string): Message {
  const content: ContentBlock[] = [...thoughts(step)]
  for (const part of step.parts) {
    if (part.kind === 'text') content.push({ type: 'text', text: part.text })
    else if (!part.cancelled) {
      const raw = argumentsText(part)
      const input = argumentsOf(part)
      const said = raw === JSON.stringify(input) ? {} : { raw_input: raw }
      content.push({ type: 'tool_use', id: callId(part), name: part.name, input, ...said })
    }
  }
  return { id, role: 'assistant', content }
}

/** A thought that was withheld has no text, and only what the provider wants back. */
function thoughts({ thinking, again, seal }: StepPlan): ThinkingBlock[] {
  const signed = seal === 'signature' || seal === 'both' ? { signature: 'c2lnbmVk' } : {}
  const sealed = seal === 'encrypted' || seal === 'both' ? { encrypted: 'ZW5jcnlwdGVk' } : {}
  if (thinking === undefined && seal === 'none') return []
  const first: ThinkingBlock = { type: 'thinking', text: thinking ?? '', ...signed, ...sealed }
  return thinking === undefined || again === undefined ? [first] : [first, { type: 'thinking', text: again }]
}

export function resultOf(result: ResultPlan, call: string): ToolResultBlock {
  const { fate, data } = result
  const marks = fate === 'denied' ? { denied: true } : fate === 'cancelled' ? { cancelled: true } : {}
  return {
    type: 'tool_result',
    tool_use_id: call,
    content: contentOf(result),
    is_error: fate !== 'fine',
    // Of what did not run there is no value.
    ...(data === undefined || fate === 'denied' || fate === 'cancelled' ? {} : { data }),
    ...marks,
  }
}

/** Nobody ran it. */
export function refusalOf(call: string): ToolResultBlock {
  const content: ContentBlock[] = [{ type: 'text', text: 'the arguments are no JSON' }]
  return { type: 'tool_result', tool_use_id: call, content, is_error: true }
}

function contentOf({ text, holds }: ResultPlan): ContentBlock[] {
  const said: ContentBlock = { type: 'text', text }
  switch (holds) {
    case 'text':
      return [said]
    case 'image':
      return [said, { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }]
    case 'document':
      return [{ type: 'document', source: { type: 'url', url: 'https://example.com/notes.pdf' }, title: 'Notes' }, said]
    case 'texts':
      return [said, { type: 'text', text: 'and more' }]
    case 'nothing':
      return []
    case 'a lot':
      return [{ type: 'text', text: 'é日🤖 line '.repeat(7000) }]
  }
}
