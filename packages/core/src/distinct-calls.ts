/** A committed thread for who joins: each of its calls under an id of its own, as those know it who were there all the time. */
import type { ContentBlock } from './content.ts'
import type { Committed } from './protocol.ts'
import type { Message, OpenCall } from './thread.ts'

export interface DistinctCalls {
  readonly messages: readonly Message[]
  /** The calls that have no result, with their ids on the wire. */
  readonly open: readonly NamedCall[]
}

export interface NamedCall extends OpenCall {
  readonly wireId: string
}

/** A call whose id was used before is `id-2` and so on; a result belongs to the oldest call of its id that has none. */
export function distinctCalls({ messages, standing }: Pick<Committed, 'messages' | 'standing'>): DistinctCalls {
  const met = new Set<string>()
  const waiting = new Map<string, string[]>()

  function begin(id: string): string {
    let wireId = id
    for (let count = 2; met.has(wireId); count++) wireId = `${id}-${count}`
    met.add(wireId)
    const twins = waiting.get(id)
    if (twins) twins.push(wireId)
    else waiting.set(id, [wireId])
    return wireId
  }

  function named(block: ContentBlock): ContentBlock {
    if (block.type === 'tool_use') {
      const id = begin(block.id)
      return id === block.id ? block : { ...block, id }
    }
    if (block.type !== 'tool_result') return block
    const id = waiting.get(block.tool_use_id)?.shift() ?? block.tool_use_id
    return id === block.tool_use_id ? block : { ...block, tool_use_id: id }
  }

  const told = messages.map((message): Message => {
    const content = message.content.map(named)
    return content.every((block, index) => block === message.content[index]) ? message : { ...message, content }
  })
  const open = standing.openCalls.map((call) => ({ ...call, wireId: waiting.get(call.id)?.shift() ?? call.id }))
  return { messages: told, open }
}
