/** The contract of a client: how its own users drive it. One file of `clients` each, found by folder. */
import type { SceneName } from './scenes.ts'
import type { Seen, View } from './scene.ts'

export interface Client {
  /** As people call it: the package, its major, and which of its ways. */
  readonly name: string
  /** Its package in the catalog of the workspace, which pins it. */
  readonly from: string
  /** What it has no form for, and why: that is not looked at. */
  readonly unseen: Readonly<Partial<Record<Seen, string>>>
  /** The scenes that it cannot play, and why. */
  readonly cannot: Readonly<Partial<Record<SceneName, string>>>
  /** What it sees otherwise in a scene, and why. */
  readonly differs?: Readonly<Partial<Record<SceneName, Difference>>>
  /** It waits for whole answers, of which nothing passes before all of it. */
  readonly whole?: boolean
  /** What becomes of a run whose stream broke: it is read on, or the client can only ask again, and its run has ended. */
  readonly afterCut: 'reads on' | 'asks again'
  /** Plays the user of a scene to its end. @throws whatever its user would not expect. */
  play(part: Part): Promise<View>
  /** Another one that comes while the run goes on, and reads it to its end. */
  join?(part: Joining): Promise<View>
  /** Ends a run that goes on, where the wire has a way. Default: by the route that ends any run. */
  cancel?(part: Joining): Promise<unknown>
}

export interface Difference {
  readonly sees: Partial<View>
  readonly why: string
}

/** What a user of a scene knows and does. */
export interface Part {
  /** Of the server. */
  readonly url: string
  readonly model: string
  readonly threadId: string
  /** Nothing is said once a run is over. */
  readonly isOneRun: boolean
  /** The words of the user, turn by turn. */
  readonly says: readonly string[]
  readonly thinking: boolean
  /** The tools that the client runs. */
  readonly tools: readonly string[]
  /** Whether the user of this scene may be asked. */
  readonly isAsked: boolean
  /** Whether what the client has is lost when its user is asked. */
  readonly reloads: boolean
  /** Runs a tool of the client. What is not the client's to run counts as run, and is so found out. */
  run(name: string): string
  /** What the user says. */
  decide(): boolean
  /** Whether the connection is gone that the client had. */
  wasCut(): boolean
  /** Settles when a client that can only ask again may do so. */
  ended(): Promise<void>
}

/** What somebody else knows who comes to it. */
export interface Joining extends Part {
  readonly runId: string
}

/** What the user of a client says that can only ask again. */
export const GO_ON = 'Go on.'

/** The thread as the server tells it to a page that is loaded; `wire` with what it has to know of the page. */
export async function threadAs<Message>({ url, threadId }: Part, wire: string): Promise<readonly Message[]> {
  const response = await fetch(`${url}/v1/threads/${threadId}/messages?as=${wire}`)
  return ((await response.json()) as { readonly messages: readonly Message[] }).messages
}

export const KEEPS_ITS_HISTORY: Client['cannot'] = {
  'reloaded while it waits': 'the history is what the client brings: it has to keep it itself',
}

/** A run that somebody has ended is no answer. */
export const CANCELLED_FAILS: Difference = {
  sees: { end: 'failed cancelled' },
  why: 'the wire has no word for it but a failure',
}

const NOTHING_BEFORE = 'of a whole answer there is nothing before all of it'
export const WHOLE_CANNOT: Client['cannot'] = { resumed: NOTHING_BEFORE, 'joined late': NOTHING_BEFORE }

const ERROR_ALONE: Difference = { sees: { text: '', calls: [] }, why: 'a whole answer that failed is its error alone' }
export const WHOLE_CANCELLED_FAILS: Difference = {
  sees: { ...CANCELLED_FAILS.sees, ...ERROR_ALONE.sees },
  why: `${CANCELLED_FAILS.why}, and ${ERROR_ALONE.why}`,
}
export const WHOLE_FAILURES: Client['differs'] = { failed: ERROR_ALONE, 'failed in a word': ERROR_ALONE }

/** What a field that may hold anything says. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A call in the words of a view. */
export const callShown = (name: string | undefined, input: string, result: string | undefined): string =>
  `${name} ${input}${result === undefined ? '' : ` = ${result}`}`
