/**
 * The answer to a request that did not ask for a stream: what the events of the same facts say, in one piece.
 *
 * It is read off the transcoder's own events, so that both forms of an answer cannot come apart.
 */
import { type Fact, parseJson, type RunContext } from '@factwire/core'
import { error } from './error-body.ts'
import { type AnthropicMessagesOptions, transcoder } from './transcoder.ts'
import type { MessagesAnswer, MessagesFailure, WrittenBlock, WrittenDelta, WrittenEvent } from './wire.ts'

/**
 * The body for the facts of one segment. A run that failed, or that has no end, gives the error body, for which 500 is the status:
 * whoever sends it tells them apart by their `type`.
 */
export function complete(
  facts: readonly Fact[],
  run: RunContext,
  options: AnthropicMessagesOptions = {},
): MessagesAnswer | MessagesFailure {
  const told = facts.findLast((fact) => fact.type === 'inference_completed')
  const model = run.model ?? told?.model
  const target = transcoder(model === undefined ? run : { ...run, model }, options)
  const events = [...facts.flatMap((fact) => target.fact(fact)), ...target.settled(), ...target.close()]
  return assemble(events) ?? error(500, { code: 'stream_failed', message: 'the run has not started' })
}

/** The events joined as a client joins them. */
function assemble(events: readonly WrittenEvent[]): MessagesAnswer | MessagesFailure | undefined {
  const content: WrittenBlock[] = []
  let answer: MessagesAnswer | undefined
  let args = ''
  for (const event of events) {
    switch (event.type) {
      case 'message_start':
        answer = { ...event.message, content, stop_reason: 'end_turn' }
        break
      case 'content_block_start':
        content.push(event.content_block)
        args = ''
        break
      case 'content_block_delta': {
        const { delta, index } = event
        const block = content[index]
        if (delta.type === 'input_json_delta') args += delta.partial_json
        if (block) content[index] = grown(block, delta)
        break
      }
      case 'content_block_stop': {
        const block = content[event.index]
        if (block?.type === 'tool_use' && args !== '') content[event.index] = { ...block, input: parseJson(args) }
        break
      }
      case 'message_delta':
        if (answer) answer = { ...answer, ...event.delta, usage: event.usage }
        break
      case 'message_stop':
        break
      case 'error':
        return event
    }
  }
  return answer
}

function grown(block: WrittenBlock, delta: WrittenDelta): WrittenBlock {
  if (block.type === 'text' && delta.type === 'text_delta') return { ...block, text: block.text + delta.text }
  if (block.type !== 'thinking') return block
  if (delta.type === 'thinking_delta') return { ...block, thinking: block.thinking + delta.thinking }
  return delta.type === 'signature_delta' ? { ...block, signature: delta.signature } : block
}
