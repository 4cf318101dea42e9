/** What a client that joins is told of the committed thread: the messages since its request, as those have seen them who were there. */
import {
  type CallItem,
  type Committed,
  type Disposition,
  distinctCalls,
  type Message,
  none,
  type Preview,
  sinceRequest,
  textOf,
  type ThinkingBlock,
  type ToolUseBlock,
} from '@factwire/core'
import type { Sending } from './sending.ts'
import type { WrittenEvent } from './wire.ts'

export interface Joining {
  /** Ids of the calls that those know who were there. */
  readonly callIds: readonly string[]
  open(parts: JoiningParts): readonly WrittenEvent[]
}

export interface JoiningParts {
  readonly preview: Preview
  readonly sending: Sending
  readonly thinking: boolean
  readonly isClients: (call: Pick<CallItem, 'name' | 'disposition'>) => boolean
}

export function joining(committed: Committed, history: readonly Message[] | undefined): Joining {
  const { messages, open, dispositions } = distinctCalls(committed)
  const told = sinceRequest(messages, history)
  return {
    callIds: told.flatMap(callsIn).map(({ id }) => id),
    open(parts) {
      // Of calls from before the request those know no more than the name who were there.
      const said = new Map(told.flatMap(callsIn).map(({ id }) => [id, dispositions.get(id)]))
      for (const { id, name, wireId } of open) parts.preview.know({ id, name, wireId, disposition: said.get(wireId) })
      const calls = new Map(messages.flatMap(callsIn).map((call) => [call.id, call]))
      return told.flatMap(telling(parts, said, calls))
    },
  }
}

const callsIn = ({ content }: Message): readonly ToolUseBlock[] => content.filter((block) => block.type === 'tool_use')

function telling(
  { sending, thinking, isClients }: JoiningParts,
  said: ReadonlyMap<string, Disposition | undefined>,
  calls: ReadonlyMap<string, ToolUseBlock>,
): (message: Message) => readonly WrittenEvent[] {
  /** The client has what it runs itself, or is told of it when the run waits. */
  const isOwn = ({ id, name }: ToolUseBlock): boolean => !isClients({ name, disposition: said.get(id) })

  function assistant(message: Message): readonly WrittenEvent[] {
    const { content } = message
    const thoughts = content.filter((block) => block.type === 'thinking')
    const text = textOf(content)
    return [
      ...(thinking ? thoughtEvents(message, thoughts) : none),
      ...(text === '' ? none : sending.say(message, text)),
      ...content.flatMap((block) => (block.type === 'tool_use' && isOwn(block) ? sending.run(message, block) : none)),
    ]
  }

  function thoughtEvents(message: Message, thoughts: readonly ThinkingBlock[]): readonly WrittenEvent[] {
    const text = thoughts.map((thought) => thought.text).join('')
    const signature = thoughts.findLast((thought) => thought.signature !== undefined)?.signature
    const encrypted = thoughts.findLast((thought) => thought.encrypted !== undefined)?.encrypted
    return [
      ...(text === '' ? none : sending.think(message, text)),
      ...(signature === undefined ? none : sending.seal(message, signature)),
      ...(encrypted === undefined ? none : sending.withhold(encrypted)),
    ]
  }

  function results({ content }: Message): readonly WrittenEvent[] {
    return content.flatMap((block): readonly WrittenEvent[] => {
      const call = block.type === 'tool_result' ? calls.get(block.tool_use_id) : undefined
      if (block.type !== 'tool_result' || !call || !isOwn(call)) return none
      return [
        ...(sending.told.has(call.id) ? none : sending.run(call, call)),
        ...sending.result(call.id, block.content, block.is_error),
      ]
    })
  }

  return (message) => {
    if (message.role === 'assistant') return assistant(message)
    return message.role === 'tool' ? results(message) : none
  }
}
