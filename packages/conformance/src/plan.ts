/** What a run is planned as: plain records, which shrink well. `build.ts` makes the run of it. */
import type { EndCause, Json, RunContext } from '@factwire/core'

export type EndPlan = { readonly awaiting: boolean } | { readonly cause: EndCause }

export interface ResultPlan {
  readonly text: string
  readonly fate: 'fine' | 'error' | 'denied' | 'cancelled'
  readonly data: Json | undefined
  /** What it holds beside its text, or instead of it. */
  readonly holds: 'text' | 'image' | 'document' | 'texts' | 'nothing' | 'a lot'
  /** What the tool prints meanwhile. */
  readonly output: string | undefined
  /** Its message has the id of its call. */
  readonly namesake: boolean
}

export interface TextPlan {
  readonly kind: 'text'
  readonly text: string
}

export interface CallPlan {
  readonly kind: 'call'
  readonly name: string
  readonly input: Json
  /** As the model writes it, where that is not `JSON.stringify`. */
  readonly raw: string | undefined
  /** A text that is no JSON: nobody runs such a call. */
  readonly broken: string | undefined
  readonly spaced: boolean
  /** Streamed, cancelled, and never committed. */
  readonly cancelled: boolean
  readonly pending: 'no' | 'client' | 'approval'
  /** What somebody who is asked gets told. */
  readonly ticket: TicketPlan
  /** It has the id of its message. */
  readonly namesake: boolean
  readonly result: ResultPlan
}

export interface TicketPlan {
  readonly message: string | undefined
  readonly parameters: Json | undefined
  readonly response_schema: Json | undefined
  readonly expires_at: string | undefined
}

/** A change of a document. `set` works on any object, `append` on its list `log`. */
export interface PatchPlan {
  readonly of: 'state' | 'activity'
  readonly how: 'set' | 'append' | 'remove'
  readonly key: string
  readonly value: Json
  /** It comes while the message is written, not while its tools run. */
  readonly early: boolean
}

/** A message of somebody else that comes in mid-run. */
export interface SteeringPlan {
  readonly role: 'user' | 'system'
  readonly text: string
  /** The run goes on because of it. */
  readonly continues: boolean
  /** It is committed between the results of the step, not before it. */
  readonly among: boolean
}

export interface StepPlan {
  readonly thinking: string | undefined
  /** A second thought, after the first. */
  readonly again: string | undefined
  readonly seal: 'none' | 'signature' | 'encrypted' | 'both'
  readonly parts: readonly (TextPlan | CallPlan)[]
  /** Where to cut the streamed texts, as fractions of 1,000. */
  readonly cuts: readonly number[]
  readonly interleave: readonly number[]
  readonly reset: boolean
  readonly announceStep: boolean
  /** Deltas of calls say who will run them. */
  readonly disposed: boolean
  readonly inference: 'none' | 'whole' | 'some' | 'nothing known'
  /** A model call that gave nothing was paid for before. */
  readonly failedInference: boolean
  readonly snapshot: Json | undefined
  readonly patches: readonly PatchPlan[]
  /** An activity begins with the message. */
  readonly activity: Json | undefined
  /** It is only begun where there is none. */
  readonly keepsActivity: boolean
  readonly steering: SteeringPlan | undefined
  /** Calls that are planned so wait for somebody, and are answered while the run goes on: it does not wait. */
  readonly asks: boolean
  readonly results: 'one by one' | 'in one message' | 'with their message'
  readonly reverseResults: boolean
}

/** What deltas say of where they belong. */
export type Marks = 'both' | 'none' | 'ids' | 'offsets'

/** Where a tool id comes again. Everywhere: even of two calls that are open at once. */
export type Repeats = 'nowhere' | 'between steps' | 'everywhere'

export interface RunPlan {
  readonly steps: readonly StepPlan[]
  readonly end: EndPlan
  readonly marks: Marks
  /** The run ends with its last message, whose calls get no results of their own. */
  readonly partial: boolean
  /** The last commit ends the run, instead of one more. */
  readonly endsAtOnce: boolean
  /** What the run as a whole gives. */
  readonly result: Json | undefined
  readonly context: ContextPlan
}

/** What is told of the run besides its ids. */
export type ContextPlan = Omit<RunContext, 'threadId' | 'runId' | 'history'>
