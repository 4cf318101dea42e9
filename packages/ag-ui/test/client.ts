/** The official client: what its user ends with after a stream, and whether it complained. */
import { HttpAgent as CurrentAgent, type Message } from '@ag-ui/client'
import { HttpAgent as OlderAgent } from 'ag-ui-client-0.0.59'
import type { AgUiMessage } from '../src/wire-message.ts'
import type { Interrupt } from '../src/wire-run.ts'
import type { AgUiEvent } from '../src/wire.ts'

export interface ClientView {
  readonly messages: readonly AgUiMessage[]
  readonly state: unknown
  /** The state is what the stream said last: a client of 0.0.59 does not take an empty one. */
  readonly told: boolean
  /** The events that ended a run. */
  readonly ends: readonly AgUiEvent[]
  /** The calls that a page has to run now, as the client tells it. */
  readonly pending: readonly string[]
  readonly interrupts: readonly Interrupt[]
  /** What it warned of; each is lost or changed data. */
  readonly warnings: readonly string[]
  /** Why it gave the stream up. */
  readonly rejected: string | undefined
}

export type ClientVersion = '1.0' | '0.0.59'

export interface Client {
  /** Runs over a stream, with what it has from before. */
  read(body: string): Promise<ClientView>
  add(messages: readonly AgUiMessage[]): void
}

export function openClient(before: readonly AgUiMessage[] = [], version: ClientVersion = '1.0'): Client {
  const Agent = version === '1.0' ? CurrentAgent : (OlderAgent as unknown as typeof CurrentAgent)
  let answer = ''
  let told = false
  const agent = new Agent({
    url: 'http://agent.test/',
    threadId: 'thread-1',
    initialMessages: before as Message[],
    fetch: async () => new Response(answer, { headers: { 'content-type': 'text/event-stream' } }),
  })

  async function read(body: string): Promise<ClientView> {
    answer = body
    const warnings: string[] = []
    const ends: AgUiEvent[] = []
    let pending: readonly string[] = []
    const { warn, error } = console
    const { NODE_ENV, VITEST_WORKER_ID } = process.env
    // As pages run it: elsewhere it copies and freezes everything for every event.
    process.env['NODE_ENV'] = 'production'
    delete process.env['VITEST_WORKER_ID']
    console.warn = (...args: unknown[]): void => void warnings.push(args.map(String).join(' '))
    console.error = console.warn
    let rejected: string | undefined
    try {
      // Whoever goes on has answered what was asked.
      const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'resolved' as const }))
      await agent.runAgent(
        { runId: 'run-1', ...(resume.length > 0 ? { resume } : {}) },
        {
          onEvent: ({ event }) => {
            const given = event as unknown as AgUiEvent
            if (given.type === 'RUN_FINISHED' || given.type === 'RUN_ERROR') ends.push(given)
            if (given.type === 'STATE_SNAPSHOT') told = version === '1.0' || Boolean(given.snapshot)
          },
          onRunFinishedEvent: (end) => {
            pending = 'pendingToolCallIds' in end ? end.pendingToolCallIds : []
          },
        },
      )
    } catch (reason) {
      rejected = reason instanceof Error ? reason.message : String(reason)
    } finally {
      console.warn = warn
      console.error = error
      Object.assign(process.env, { NODE_ENV, VITEST_WORKER_ID })
    }
    return {
      messages: agent.messages as unknown as AgUiMessage[],
      state: agent.state,
      told,
      ends,
      pending,
      interrupts: agent.pendingInterrupts as unknown as Interrupt[],
      warnings,
      rejected,
    }
  }

  return { read, add: (messages) => agent.addMessages(messages as Message[]) }
}

/** Runs a client with earlier messages over a stream of frames. */
export async function clientView(
  frames: readonly AgUiEvent[],
  before: readonly AgUiMessage[] = [],
  version: ClientVersion = '1.0',
): Promise<ClientView> {
  return readWith(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''), before, version)
}

export function readWith(
  body: string,
  before: readonly AgUiMessage[] = [],
  version: ClientVersion = '1.0',
): Promise<ClientView> {
  return openClient(before, version).read(body)
}
