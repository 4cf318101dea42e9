/**
 * The contract of a mount: how one protocol's requests are found among all, and what they ask for. One file of `mounts` each, found by
 * folder; a mount maps, and does nothing.
 */
import type { Committed, Encodable, Fact, Json, RequestOptions, RunContext, RunRequest } from '@factwire/core'

/** What a mount may look at of a request, beside its body. */
export interface Call {
  header(name: string): string | undefined
  query(name: string): string | undefined
  /** A part of the path. */
  param(name: string): string | undefined
}

/** A wire that clients ask in. */
export interface Asking<Frame, Options, Asked extends RunRequest> extends Encodable<Frame, Options> {
  request(body: unknown, options?: RequestOptions): Asked
}

export interface Mount<Frame = unknown, Options = unknown, Asked extends RunRequest = RunRequest> {
  readonly protocol: Asking<Frame, Options, Asked>
  /** `POST`: begins a run, or goes on with one. */
  readonly starts: readonly StartRoute<Options, Asked>[]
  /** `GET`: the stream of a run that there is. */
  readonly reads?: readonly ReadRoute<Options>[]
  /** `POST`: ends a run. */
  readonly cancels?: readonly CancelRoute[]
  /** For who reads the events of any run on this wire: what the query asks for. */
  events?(call: Call): Options
  /** The thread as this client has it, where that is not the same for all. Default: as the protocol has it. */
  history?(committed: Committed, call: Call): unknown
}

/** A run is one answer on most wires. Where it waited it is as many as it has segments. */
export interface Place {
  readonly runId: string
  /** Counted from 0. */
  readonly segment: number
}

export interface StartRoute<Options = unknown, Asked extends RunRequest = RunRequest> {
  readonly path: string
  /** Whether messages have ids on the wire. Where they have none the server gives them. */
  readonly messageIds: 'client' | 'server'
  /** Those messages of a request that the client could have given an id, and has not: they have one of the server's. */
  nameless?(asked: Asked): readonly string[]
  /** Undefined where the request brings the whole conversation, or names what it follows. */
  thread(asked: Asked, call: Call): string | undefined
  /** The run that it goes on from. Where its thread has gone on since, another thread begins there. */
  follows?(asked: Asked): string | undefined
  run?(asked: Asked, call: Call): string | undefined
  /** The id of a message that is to be answered again: what came after it is dropped. */
  again?(asked: Asked): string | undefined
  model?(asked: Asked): string | undefined
  /** What the model is told first in this run, and what is not in the thread. */
  instructions?(asked: Asked): string | undefined
  transcoder?(asked: Asked, place: Place, call: Call): Options
  /** What is kept of a request with the segment that it begins: `kept` of whoever reads that again. */
  kept?(asked: Asked): Json
  /** The call that a result of the client's is about, where that is a question with an id of its own. */
  callOf?(resultId: string): string
  /** The answer for a client that wants no stream; without it that of the protocol. */
  complete?(facts: readonly Fact[], run: RunContext, asked: Asked, place: Place): unknown
  /** The status of a whole answer that says that the run failed. Default 500. */
  readonly failed?: number
  /** Another form of the stream that this client asked for. */
  form?(call: Call): Form | undefined
}

export interface ReadRoute<Options = unknown> {
  readonly path: string
  /** Which run: that one, or the last of that thread. */
  of(call: Call): { readonly run: string } | { readonly thread: string } | undefined
  /** Where each segment is an answer of its own: which one, counted from 0. One that is over is told from its facts. */
  segment?(call: Call): number
  /** Everything up to there was seen. Default: `Last-Event-ID`. */
  position?(call: Call): string | undefined
  transcoder?(call: Call, place: Place, kept: Json | undefined): Options
  /** Instead, where what shapes it is in the request alone. */
  options?(call: Call): Options
  /** Whether the client wants the whole answer, and which that is. */
  wantsWhole?(call: Call): boolean
  complete?(facts: readonly Fact[], run: RunContext, place: Place, kept: Json | undefined): unknown
  form?(call: Call): Form | undefined
  /** Whether a run that is over has no stream any more: 204. Default false. */
  readonly liveOnly?: boolean
}

export interface CancelRoute {
  readonly path: string
  run(call: Call): string | undefined
  /** Where each segment is an answer of its own: which one, counted from 0. One that is over is left as it is, and the run goes on. */
  segment?(call: Call): number
  /** The answer, once the run is over. Default: that it was asked to end. */
  complete?(facts: readonly Fact[], run: RunContext, place: Place, kept: Json | undefined): unknown
}

/** The same events in other bytes. */
export interface Form {
  readonly headers: Readonly<Record<string, string>>
  body(text: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>>
}
