/** Who runs the calls of a committed thread, for who joins: as those were told who were there all the time. */
import type { Disposition } from './event.ts'
import type { Committed } from './protocol.ts'

/** A call that the agent does not just run, as its fact has told of it. */
export interface ToldCall {
  readonly id: string
  readonly message_id: string
  readonly disposition: Disposition
}

export type Disposing = Pick<Committed, 'standing'> & Partial<Pick<Committed, 'pending' | 'dispositions'>>

/** What is said of the call of that id in that message. Undefined where nobody has noted it. */
export function dispositionsOf(committed: Disposing): (messageId: string, callId: string) => Disposition | undefined {
  const told = new Map((committed.dispositions ?? waiting(committed)).map((call) => [keyOf(call), call.disposition]))
  const other = committed.dispositions ? 'executed' : undefined
  return (message_id, id) => told.get(keyOf({ id, message_id })) ?? other
}

/** Of calls without result it can be seen whom the run waits for. */
function waiting({ standing, pending = [] }: Disposing): readonly ToldCall[] {
  const kinds = new Map(pending.map(({ tool_use_id, kind }) => [tool_use_id, kind]))
  return standing.openCalls.flatMap(({ id, message_id }): ToldCall[] => {
    const kind = kinds.get(id)
    if (kind === undefined) return []
    return [{ id, message_id, disposition: kind === 'client' ? 'pending_client' : 'pending_builtin' }]
  })
}

const keyOf = ({ id, message_id }: Pick<ToldCall, 'id' | 'message_id'>): string => JSON.stringify([message_id, id])
