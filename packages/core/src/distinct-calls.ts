/** A committed thread for who joins: each of its calls under an id of its own, as those know it who were there all the time. */
import type { ContentBlock } from './content.ts'
import { type Disposing, dispositionsOf } from './dispositions.ts'
import type { Disposition } from './event.ts'
import type { Committed } from './protocol.ts'
import type { Message, OpenCall } from './thread.ts'

export interface DistinctCalls {
  readonly messages: readonly Message[]
  /** The calls that have no result, with their ids on the wire. */
  readonly open: readonly NamedCall[]
  /** Who runs each call, by its id on the wire. Undefined where nobody has noted it. */
  readonly dispositions: ReadonlyMap<string, Disposition | undefined>
}

export interface NamedCall extends OpenCall {
  readonly wireId: string
  readonly disposition: Disposition | undefined
}

/** A call whose id was used before is `id-2` and so on; a result belongs to the oldest call of its id that has none. */
export function distinctCalls(committed: Pick<Committed, 'messages'> & Disposing): DistinctCalls {
  const { messages, standing } = committed
  const dispositionOf = dispositionsOf(committed)
  const dispositions = new Map<string, Disposition | undefined>()
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

  function named(block: ContentBlock, messageId: string): ContentBlock {
    if (block.type === 'tool_use') {
      const id = begin(block.id)
      dispositions.set(id, dispositionOf(messageId, block.id))
      return id === block.id ? block : { ...block, id }
    }
    if (block.type !== 'tool_result') return block
    const id = waiting.get(block.tool_use_id)?.shift() ?? block.tool_use_id
    return id === block.tool_use_id ? block : { ...block, tool_use_id: id }
  }

  const told = messages.map((message): Message => {
    const content = message.content.map((block) => named(block, message.id))
    return content.every((block, index) => block === message.content[index]) ? message : { ...message, content }
  })
  const open = standing.openCalls.map((call): NamedCall => {
    const { id, message_id } = call
    return { ...call, wireId: waiting.get(id)?.shift() ?? id, disposition: dispositionOf(message_id, id) }
  })
  return { messages: told, open, dispositions }
}
