/**
 * Drives runs: takes one from the store, lets its first reader in, and has the agent write a segment of it.
 *
 * Who reads is let in before the first commit, so that a request that goes on with a run is shown its own segment and no other.
 */
import { type Committed, type Decision, endRun, type Message } from '@factwire/core'
import type { Hub } from '@factwire/hub'
import type { AgentRun } from '@factwire/runtime'
import type { AgentOf } from './agents.ts'
import type { Noted } from './notes.ts'
import type { KeptRun, Storage } from './storage.ts'
import { traced } from './tracing.ts'

/** Lets a reader in. */
export type Look<Looked> = (runId: string) => Promise<Looked>

export interface SegmentOptions<Looked> {
  readonly run: KeptRun
  /** Of a run that begins: where it starts from. Of one that goes on it is read. */
  readonly thread: Pick<Committed, 'messages' | 'standing' | 'pending'>
  readonly messages?: readonly Message[]
  readonly decisions?: readonly Decision[]
  /** What it is asked for, to be kept. */
  readonly noted?: Noted
  readonly look: Look<Looked>
}

export interface Segment<Looked> {
  readonly looked: Looked
  /** Settles when the segment is over, however it ended. */
  readonly over: Promise<void>
}

export interface Segments {
  /** Settles when its first commit is stored: then it happens, whatever becomes of the request. */
  start<Looked>(options: SegmentOptions<Looked>): Promise<Segment<Looked>>
  /** Those that this process writes. */
  readonly active: ReadonlyMap<string, ActiveSegment>
  /** How many are written, or about to be. */
  count(): number
  /** Settles when none is left. */
  quiet(): Promise<void>
}

export interface ActiveSegment {
  readonly push: AgentRun['push']
  readonly over: Promise<void>
}

export interface SegmentsOptions {
  readonly hub: Hub
  readonly storage: Storage
  readonly agentOf: AgentOf
  /** Keeps what a segment is asked for with its first step. */
  note(runId: string, noted: Noted | undefined): void
  onError(error: unknown): void
  /** A segment is over. */
  onOver(runId: string): void
}

export function segments({ hub, storage, agentOf, note, onError, onOver }: SegmentsOptions): Segments {
  const active = new Map<string, ActiveSegment>()

  /** Those that are counted before they are written: many may begin at once. */
  const coming = new Set<string>()

  async function start<Looked>(options: SegmentOptions<Looked>): Promise<Segment<Looked>> {
    const { runId } = options.run
    coming.add(runId)
    try {
      return await write(options)
    } finally {
      coming.delete(runId)
    }
  }

  async function write<Looked>(options: SegmentOptions<Looked>): Promise<Segment<Looked>> {
    const { run, thread, messages, decisions, look } = options
    const { runId, threadId, tools } = run
    const producer = await hub.produce(run)
    note(runId, options.noted)
    const spans = traced(run)
    const agent = agentOf(run, storage, spans)
    const looked = await look(runId).catch(async (error: unknown) => {
      // Nobody would write what was taken.
      const failure = { code: 'gateway_failed', message: 'the stream could not be opened' }
      await producer.commit(endRun(producer.standing(), { type: 'error', failure }))
      spans.over(undefined)
      throw error
    })
    let begun: () => void = () => undefined
    let failed: (error: unknown) => void = () => undefined
    const first = new Promise<void>((resolve, reject) => {
      begun = resolve
      failed = reject
    })
    const written = agent.run({
      threadId,
      runId,
      thread: { ...thread, ...(thread.standing.state ? { standing: producer.standing() } : {}) },
      ...(messages ? { messages } : {}),
      ...(decisions ? { decisions } : {}),
      ...(tools ? { clientTools: tools } : {}),
      signal: producer.signal,
      output: {
        write(given) {
          const stored = producer.write(given)
          if (given.commit) stored.then(begun, failed)
          return stored
        },
      },
    })
    const over = written.over
      .then(
        (state) => {
          spans.over(state)
          begun()
        },
        (error: unknown) => {
          spans.over(undefined)
          failed(error)
          onError(error)
        },
      )
      .finally(() => {
        active.delete(runId)
        onOver(runId)
      })
    coming.delete(runId)
    active.set(runId, { push: (more) => written.push(more), over })
    await first
    return { looked, over }
  }

  return {
    start,
    active,
    count: () => active.size + coming.size,
    async quiet() {
      while (active.size > 0) await Promise.all([...active.values()].map(({ over }) => over))
    },
  }
}
