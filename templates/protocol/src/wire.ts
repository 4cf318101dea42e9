/**
 * The frames of new-wire, spelled as its specification spells them.
 *
 * A client keeps a list of messages. Text and calls belong to the message that was named last.
 *
 * @see the specification: its address and version
 */
/** A run begins, or goes on after it had waited. `replay`: the client forgets what it has, the thread comes again. */
export interface StartFrame {
  readonly type: 'start'
  readonly run: string
  readonly replay: boolean
}
/** What follows belongs to this message. */
export interface MessageFrame {
  readonly type: 'message'
  readonly id: string
}
/** The next piece of the message's text. */
export interface TextFrame {
  readonly type: 'text'
  readonly text: string
}
/** The message is none after all: the client forgets it. What follows belongs to no message. */
export interface DropFrame {
  readonly type: 'drop'
  readonly id: string
}
/** A call that the message makes, whole. `arguments` is the text of a JSON value. */
export interface CallFrame {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly arguments: string
  readonly by: Runner
}
export interface ResultFrame {
  readonly type: 'result'
  readonly call: string
  readonly text: string
  readonly error: boolean
}
/** The last frame, unless the run failed. */
export interface EndFrame {
  readonly type: 'end'
  readonly reason: 'finished' | 'exhausted' | 'waiting'
  readonly waiting: readonly Waiting[]
}
/** The last frame of a run that failed. */
export interface ErrorFrame {
  readonly type: 'error'
  readonly code: string
  readonly message: string
}

/** Who runs a call; `approval`: the agent, once somebody agreed. */
export type Runner = 'agent' | 'client' | 'approval'

export interface Waiting {
  readonly call: string
  readonly by: Exclude<Runner, 'agent'>
}

export type Frame = StartFrame | MessageFrame | TextFrame | DropFrame | CallFrame | ResultFrame | EndFrame | ErrorFrame

/** Frames of exactly this shape: in a bare literal a misspelt optional field would compile. */
export const frames = (...given: readonly Frame[]): readonly Frame[] => given
