/** The official client as a view: what its user ends with after a stream, and whether it complained. */
import { HttpAgent as CurrentAgent, type Message } from '@ag-ui/client'
import { HttpAgent as OlderAgent } from 'ag-ui-client-0.0.59'
import type { AgUiEvent } from '../src/wire.ts'
import type { AgUiMessage } from '../src/wire-message.ts'

export interface ClientView {
  readonly messages: readonly AgUiMessage[]
  readonly state: unknown
  /** The events that ended a run. */
  readonly ends: readonly AgUiEvent[]
  readonly interrupts: unknown
  /** What it warned of; each is lost or changed data. */
  readonly warnings: readonly string[]
  /** Why it gave the stream up. */
  readonly rejected: string | undefined
}

export type ClientVersion = '1.0' | '0.0.59'

/** Runs a client with earlier messages over a stream of frames. */
export async function clientView(
  frames: readonly AgUiEvent[],
  before: readonly AgUiMessage[] = [],
  version: ClientVersion = '1.0',
): Promise<ClientView> {
  const body = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')
  return readWith(body, before, version)
}

export async function readWith(
  body: string,
  before: readonly AgUiMessage[] = [],
  version: ClientVersion = '1.0',
): Promise<ClientView> {
  const warnings: string[] = []
  const ends: AgUiEvent[] = []
  const { warn, error } = console
  console.warn = (...args: unknown[]): void => void warnings.push(args.map(String).join(' '))
  console.error = console.warn
  let rejected: string | undefined
  const Agent = version === '1.0' ? CurrentAgent : (OlderAgent as unknown as typeof CurrentAgent)
  const agent = new Agent({
    url: 'http://agent.test/',
    threadId: 'thread-1',
    initialMessages: before as Message[],
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  })
  try {
    await agent.runAgent(
      { runId: 'run-1' },
      {
        onEvent: ({ event }) => {
          const end = event as unknown as AgUiEvent
          if (end.type === 'RUN_FINISHED' || end.type === 'RUN_ERROR') ends.push(end)
        },
      },
    )
  } catch (reason) {
    rejected = reason instanceof Error ? reason.message : String(reason)
  } finally {
    console.warn = warn
    console.error = error
  }
  return {
    messages: agent.messages as unknown as AgUiMessage[],
    state: agent.state,
    ends,
    interrupts: agent.pendingInterrupts,
    warnings,
    rejected,
  }
}
