/** What a request asks a thread for, and what comes of it. */
import type { Committed, Json, Message, RequestOptions, RunRequest } from '@factwire/core'
import type { RunRecord } from '@factwire/hub'
import type { Place } from './mount.ts'
import type { From } from './threaded.ts'

export interface Begin<Looked> {
  /** Absent: the request brings the whole conversation, and the thread is new. */
  readonly threadId?: string
  /** A run that it goes on from, whose thread it is in. */
  readonly follows?: string
  /** Of the run, if it begins. One that there is already is shown. */
  readonly runId?: string
  /** Of a request whose key its run has its id from. */
  readonly digest?: string
  /** A message of the thread that is to be answered again. */
  readonly again?: string
  readonly wire: string
  readonly model?: string
  /** What the model is told first, for as long as this request goes. */
  readonly instructions?: string
  /** What is kept of it with the segment that it begins. */
  readonly kept?: Json
  /** Reads the request, knowing what the thread has. */
  read(known: RequestOptions): RunRequest
  /** The call that a result is about. Default: the one of that id. */
  callOf?(resultId: string): string
  /** `brought`: what the client has beyond the stored thread. `before`: all that was said before a run goes on. */
  look(place: Place, brought: readonly Message[], before: readonly Message[]): Promise<Looked>
}

export interface Begun<Looked> {
  readonly runId: string
  readonly threadId: string
  readonly looked: Looked
  /** Settles when what the request asked for is over. */
  readonly over: Promise<void>
}

export interface Beginning {
  begin<Looked>(options: Begin<Looked>): Promise<Begun<Looked>>
  newRun<Looked>(place: Beginnings, options: NewRun<Looked>, request: RunRequest): Promise<Begun<Looked>>
  goOn<Looked>(
    record: RunRecord,
    committed: Committed,
    options: Pick<Begin<Looked>, 'look' | 'kept' | 'runId' | 'digest'>,
    brought: News,
  ): Promise<Begun<Looked>>
  /** The last run of a thread. */
  lastOf(threadId: string): Promise<RunRecord | undefined>
  lastSettled(threadId: string): Promise<RunRecord | undefined>
}

/** Where a run begins. */
export interface Beginnings {
  readonly threadId: string
  readonly runId: string
  /** The thread, with what was said last. */
  readonly messages: readonly Message[]
  /** The run that it goes on from, and what was said up to its end. */
  readonly from?: From
}

export type NewRun<Looked> = Pick<Begin<Looked>, 'wire' | 'model' | 'instructions' | 'kept' | 'digest' | 'look'>
export type News = Pick<RunRequest, 'messages' | 'decisions' | 'tools'>
