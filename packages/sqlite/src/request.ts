/** What the writer is asked. JSON travels as text, because a worker is sent no deep values. */
import type { Acquired, Appended, Claim, Lease } from '@factwire/hub'

export interface FactRow {
  readonly seq: number
  readonly body: string
}

export interface StepRow {
  /** Of the commit, where the thread stands after it, and what its deltas opened. */
  readonly body: string
  readonly standing: string
  /** What its writer finds it by. */
  readonly mark: string | undefined
  readonly facts: readonly FactRow[]
  /** The run waits, or has ended. */
  readonly finished: boolean
  readonly ended: boolean
}

/** What is kept for whoever goes on with a run, and is no fact. */
export type JournalRequest =
  | { readonly type: 'note'; readonly runId: string; readonly bodies: readonly string[] }
  | { readonly type: 'claim'; readonly runId: string; readonly callId: string }
  | { readonly type: 'clear'; readonly runId: string }
  /** Without a body there is none any more. */
  | { readonly type: 'checkpoint'; readonly runId: string; readonly body: string | undefined }

export type WriteRequest =
  | JournalRequest
  | {
      readonly type: 'create'
      readonly runId: string
      /** What the run is, without its history. */
      readonly context: string
      readonly history: string | undefined
      readonly claim: Claim
      readonly reserve: number
    }
  | { readonly type: 'acquire'; readonly runId: string; readonly claim: Claim }
  | { readonly type: 'renew'; readonly runId: string; readonly epoch: number; readonly until: number }
  | { readonly type: 'release'; readonly runId: string; readonly epoch: number; readonly next: number }
  | { readonly type: 'reserve'; readonly runId: string; readonly epoch: number; readonly upTo: number }
  | {
      readonly type: 'append'
      readonly runId: string
      readonly epoch: number
      readonly revision: number
      readonly key: string
      readonly reserve: number
      readonly release: boolean
      readonly step: StepRow
    }

/** A record as its row has it. */
export interface RecordRow {
  readonly context: string
  readonly revision: number
  readonly reserved: number
  readonly last_fact: number
  readonly standing: string
  readonly owner: string
  readonly epoch: number
  readonly until: number
  /** Where it was asked for and there is one. */
  readonly history?: string | null
}

export interface WriteAnswers {
  readonly create: { readonly created: boolean; readonly row: RecordRow }
  readonly acquire: Exclude<Acquired, { readonly type: 'held' }> | { readonly type: 'held'; readonly row: RecordRow }
  readonly renew: boolean
  readonly release: boolean
  readonly reserve: boolean
  readonly append: Appended
  readonly note: boolean
  readonly claim: boolean
  readonly clear: boolean
  readonly checkpoint: boolean
}

export type WriteAnswer = WriteAnswers[keyof WriteAnswers]

/** To the worker. */
export interface Asked {
  readonly id: number
  readonly request: WriteRequest
}

/** From the worker: it is there, it is not, one group is on the disk, or it is closed. */
export type Told =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'answers'; readonly answers: readonly Answered[] }
  | { readonly type: 'closed' }

export interface Answered {
  readonly id: number
  readonly answer?: WriteAnswer
  /** What went wrong; the request changed nothing. */
  readonly error?: string
}

/** A run with its history, by its id. */
export const WITH_HISTORY =
  'SELECT runs.*, histories.body AS history FROM runs LEFT JOIN histories ON histories.run = runs.n WHERE id = ?'

export const leaseOf = ({ owner, epoch, until }: RecordRow): Lease => ({ owner, epoch, until })
