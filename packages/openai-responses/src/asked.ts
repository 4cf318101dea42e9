/** Whom a run waits for, as calls that the client is to run or to be asked about. */
import { type Awaiting, callIn, type Message, type Pending, type Preview } from '@factwire/core'
import type { Sent } from './sending.ts'
import type { Made, Speech } from './speech.ts'

export interface Asked {
  readonly kind: Pending['kind']
  /** As the client knows the call. */
  readonly id: string
  readonly made: Made
  /** The client sees it already. */
  readonly shown: Sent | undefined
}

/** Undefined where it is nobody, or something that nobody knows: then no client can make the run go on. */
export function askedFor(
  preview: Preview,
  speech: Speech,
  thread: readonly Message[],
  fact: Awaiting,
): readonly Asked[] | undefined {
  const once = new Map(preview.waiting(fact).map((entry) => [entry.tool_use_id, entry]))
  const asked: Asked[] = []
  for (const { tool_use_id, kind } of once.values()) {
    const call = preview.find(tool_use_id)
    const made = call?.fact ?? callIn(thread, tool_use_id)
    if (!made) return undefined
    const sent = speech.sentOf(call)
    const shown = kind === 'client' && sent?.kind === 'function_call' ? sent : undefined
    asked.push({ kind, id: call?.wireId ?? tool_use_id, made, shown })
  }
  if (asked.length === 0) return undefined
  // Calls of the client may stand there already.
  return asked.toSorted((one, other) => Number(one.kind === 'approval') - Number(other.kind === 'approval'))
}
