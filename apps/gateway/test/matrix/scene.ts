/** What a scene is: what the provider plays, what the user does, and what whoever watched must have seen, in the words of no wire. */
import type { Scene } from '@factwire/provider'

/** What a client ends with. */
export interface View {
  /** All that the assistant said, a blank line between messages. */
  readonly text: string
  readonly thoughts: string
  /**
   * `look_up {"city":"Oslo"} = Oslo is cold`, in any order: each call, whoever runs it, and what came of it. `no` where it failed or was
   * refused, nothing where nothing came.
   */
  readonly calls: readonly string[]
  /** What the models wrote, as the wire counts it, in all requests. Where a scene has none it is not looked at. */
  readonly tokens?: number
  /** `done`, `exhausted`, `cancelled`, or `failed` and the code. */
  readonly end: string
}

export type Seen = keyof View

export interface Script {
  readonly script: Scene
  /** What the user says, turn by turn. Default: one turn. */
  readonly says?: readonly string[]
  /** The client wants thoughts. */
  readonly thinking?: boolean
  /** What the tools of the client give. */
  readonly brings?: Readonly<Record<string, string>>
  /** What the user says when asked. */
  readonly approves?: boolean
  /** When the user is asked, the page is loaded again, and has nothing but what the server knows. */
  readonly reloads?: boolean
  /** What happens at the `wait` of the script, when the client has been sent `until`. */
  readonly meanwhile?: { readonly until: string; readonly happens: 'cancel' | 'cut' | 'join' }
  readonly sees: View
  /** How often the provider was asked. */
  readonly requests: number
  /** How often each tool ran, wherever it runs, and how often the user was asked. */
  readonly ran: Readonly<Record<string, number>>
  /** Why each run ended, the first one first, in the server's own words. */
  readonly runs: readonly string[]
  /** For a client that cannot come back to a stream: it asks again, in the same thread. */
  readonly askedAgain?: Partial<Pick<Script, 'sees' | 'requests' | 'ran' | 'runs'>>
}
