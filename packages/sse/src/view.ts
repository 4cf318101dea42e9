/** What a page shows of a run: the folded state of its SSE wire. Values are never changed after they were given. */
import type {
  Activity,
  ContentBlock,
  Inference,
  Json,
  RunContext,
  SuspendTicket,
  TerminationReason,
} from '@factwire/core'

export interface View {
  readonly run?: ViewRun
  /** `running` until the stream says otherwise: a stream that just stops did not succeed. */
  readonly status: ViewStatus
  /** How the run ended, or that it is suspended. */
  readonly termination?: TerminationReason
  readonly result?: Json
  /** The text of the result, empty where there is none. */
  readonly response: string
  readonly error?: ViewError
  /** The thread before this run's turns, from a snapshot. */
  readonly before: readonly (ViewMessage | Turn)[]
  /** One for each assistant message of the run that showed anything. */
  readonly turns: readonly Turn[]
  readonly state?: Json
  readonly activities: readonly ViewActivity[]
  readonly inference: readonly Inference[]
}

export type ViewRun = Pick<RunContext, 'threadId' | 'runId' | 'parentRunId' | 'identity'>
export type ViewStatus = 'idle' | 'running' | 'suspended' | 'finished' | 'failed'
export type ViewActivity = Omit<Activity, 'replace'>

export interface ViewError {
  readonly message: string
  readonly code?: string
}

/** A message of somebody else: `user`, `system`. */
export interface ViewMessage {
  readonly role: string
  readonly id: string
  readonly text: string
  /** Its blocks, images and documents among them. */
  readonly content: readonly ContentBlock[]
}

export interface Turn {
  readonly role: 'assistant'
  /** Empty where the wire gave none. */
  readonly id: string
  readonly text: string
  readonly reasoning: string
  readonly encryptedReasoning?: string
  readonly calls: readonly Call[]
  /** Whether its step goes on. */
  readonly open: boolean
}

export interface Call {
  readonly id: string
  readonly name: string
  /** The arguments as text: what was streamed, until they are known. */
  readonly argumentsText: string
  readonly arguments?: Json
  readonly status: CallStatus
  /** What the tool has printed so far; gone once there is a result. */
  readonly output: string
  readonly result?: ViewResult
  /** Why it is suspended. */
  readonly ticket?: SuspendTicket
}

export type CallStatus = 'streaming' | 'ready' | 'suspended' | 'succeeded' | 'failed' | 'denied' | 'cancelled'

export interface ViewResult {
  readonly text: string
  /** Images and documents. */
  readonly media?: readonly ContentBlock[]
  /** The value behind the text. */
  readonly data?: Json
}

/** Whether the stream came to its end, suspension included. One that was cut did not, whatever it showed. */
export function ended(view: View): boolean {
  return view.status === 'suspended' || view.status === 'finished' || view.status === 'failed'
}
