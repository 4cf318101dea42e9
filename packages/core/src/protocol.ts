/**
 * The contract of a wire: a protocol is a value, and core knows none by name.
 *
 * Frames are typed objects; `framing` alone knows how they look as text. Everything here is synchronous and does no I/O.
 */
import type { ToldCall } from './dispositions.ts'
import type { Delta, Fact } from './event.ts'
import type { Fidelity } from './fidelity.ts'
import type { Grammar } from './grammar.ts'
import type { Json } from './json.ts'
import type { RequestOptions, RunRequest } from './request.ts'
import type { Failure, Pending, RunContext } from './run.ts'
import type { Activity, Commit, Inference, Message, Standing } from './thread.ts'

/** One message as a transport cuts it: an SSE event, or a WebSocket text. */
export interface WireMessage {
  readonly data: string
  /** The SSE event name, where there was one. */
  readonly event?: string
  /** The SSE id, where there was one. */
  readonly id?: string
  /** `data` is a whole line outside the SSE grammar, such as bare JSON. */
  readonly stray?: true
  /** The input ended before the message did, so there may be more to it. */
  readonly cut?: true
}

/** Gives the text of a whole frame. What stands around the fragment is known already. */
export type Template = (fragment: string, seq?: number) => string

/** Where a fragment stands in a frame that was read: a name or an index for each level. */
export type FragmentPath = readonly (string | number)[]

/** How frames look as text. */
export interface Framing<Frame> {
  readonly mediaType: string
  /** Further response headers. */
  readonly headers: Readonly<Record<string, string>>
  /** Text between frames that says "still here" and nothing else. */
  readonly heartbeat: string
  /** A whole frame. `seq` is written where the wire has a place for it. */
  text(frame: Frame, seq?: number): string
  /** For a frame that brings a fragment: what writes the next one, which differs from it in the fragment alone. */
  template?(frame: Frame): Template | undefined
  /**
   * Undefined for a message that says nothing, such as an empty one.
   *
   * @throws FactwireError when it is no frame of this wire.
   */
  parse(message: WireMessage): Frame | undefined
  /**
   * Where frames may bring a fragment that `parse` does not look at: messages that differ in that alone need not be parsed, each of
   * them. The first that is there counts.
   */
  readonly fragments?: readonly FragmentPath[]
  /** Members that differ from one message to the next and that no decoder looks at, such as a number. */
  readonly noise?: readonly string[]
}

/** What a client of a wire can do with a position: get the facts after it, get a joined stream, or nothing. */
export type Resume = 'tail' | 'replay' | 'none'

/** Where a stream is joined: what is committed, and the deltas of what is not. */
export interface Joined {
  readonly committed: Committed
  /**
   * The deltas of what is not committed, in order; neighbours may be merged. Those since the last commit, and before them the
   * patches of a document that no commit has told since.
   */
  readonly open: readonly Delta[]
}

/** The committed thread at one moment. */
export interface Committed {
  readonly messages: readonly Message[]
  readonly standing: Standing
  readonly snapshot?: Json
  /** How many patches of the state in this segment the snapshot holds. */
  readonly revision?: number
  readonly activities?: readonly Activity[]
  /** Of the calls that are open: also where the last commit does not repeat it. */
  readonly pending?: readonly Pending[]
  /**
   * The calls of the run that were told as others than the agent's own, those with a result too. Without it `pending` says it of the
   * open ones.
   */
  readonly dispositions?: readonly ToldCall[]
  /** The model calls that the segment has told of so far, in their order. None where it is absent. */
  readonly inferences?: readonly Inference[]
  /** What the run as a whole gave, once it has ended. */
  readonly result?: Json
}

/**
 * Serves one segment: `run_started` to `awaiting`, `run_finished` or `run_failed`. Silent after its end, `close` included.
 *
 * Arrays are read at once and not kept by the caller's callee: an empty one may be shared.
 */
export interface Transcoder<Frame> {
  fact(fact: Fact): readonly Frame[]
  /** The facts of one commit are all given. In a flat list: before the next delta or start. */
  settled(): readonly Frame[]
  delta(delta: Delta): readonly Frame[]
  /**
   * Asked before `delta` by whoever wants text: the fragment, if it is all that tells the frame of this delta from the one of the delta
   * before. Undefined, and nothing has happened, where it is not.
   */
  next?(delta: Delta): string | undefined
  /** The producer is gone: closes what is open, and fails if the segment had no end. */
  close(): readonly Frame[]
}

/** Turns a wire into deltas as they arrive and commits when something is complete. Never into facts: the fold does that. */
export interface Decoder<Frame> {
  push(frame: Frame): readonly (Delta | Commit)[]
  /**
   * The input is over. Commits what was still open; without an end seen, or with a `failure` of the source, the run ends as
   * failed.
   */
  end(failure?: Failure): readonly Commit[]
  /** Ids and model, once known. */
  run(): Partial<RunContext>
}

/** What can be read. */
export interface Decodable<Frame, Options = unknown> {
  readonly name: string
  readonly framing: Framing<Frame>
  decoder(options?: Options): Decoder<Frame>
}

/** What a protocol says of itself, for whoever checks it, documents it or wants nothing lost. */
export interface Described<Frame> {
  /** What becomes of every fact. */
  readonly fidelity: Fidelity
  /** Order, pairing, ends and ids of the frames. */
  readonly grammar: Grammar<Frame>
}

/** What can be written. A bundle that only writes need not carry the description. `Options` are the transcoder's. */
export interface Encodable<Frame, Options = unknown> extends Partial<Described<Frame>> {
  readonly name: string
  readonly framing: Framing<Frame>
  readonly resume: Resume
  transcoder(run: RunContext, options?: Options, join?: Joined): Transcoder<Frame>
  /** The body, as JSON, for a client that did not ask for a stream: the facts of one segment. */
  complete?(facts: readonly Fact[], run: RunContext): unknown
  /** The committed thread in this wire's message shape, as JSON. */
  history?(committed: Committed): unknown
  /**
   * The body of a client's request.
   *
   * @throws FactwireError `invalid_value` or `too_large`, with the path in the body.
   */
  request?(body: unknown, options?: RequestOptions): RunRequest
  /** The wire's own error body for an HTTP status. */
  error?(status: number, failure: Failure): Json
}

/** A wire in both directions, and what it promises. */
export type Protocol<Frame, Options = unknown> = Encodable<Frame, Options> & Decodable<Frame> & Described<Frame>

export const isCommit = (item: Delta | Commit): item is Commit => 'messages' in item

/**
 * The shared empty answer: most events of a quiet wire give nothing. Only the compiler keeps it empty: a frozen array is one of another
 * kind to engines, and whoever walks over answers of both kinds walks at a quarter of the speed.
 */
export const none: readonly never[] = []

/** Codes of failures that a stream itself can have. */
export type StreamFailureCode =
  /** It ended without its end. */
  | 'stream_truncated'
  /** It held something that is no frame of its wire. */
  | 'stream_malformed'
  /** Its source broke, or its producer vanished. */
  | 'stream_failed'
  /** What was shown could not be brought to the committed truth. */
  | 'stream_reconciliation_failed'
  /** A fact was to be written that the wire cannot carry whole, and whoever asked wanted no loss. */
  | 'loss_refused'
