/** What a loop makes of a scene: what its user sees, what its tools did, and what of it can go to a model again. */
import type { Provider } from '@factwire/provider'
import { objection } from '@factwire/provider'

export interface Seen {
  /** The text of the whole answer, as it was streamed. */
  readonly text: string
  /** How it ended, for the program: a finish, an error, or not at all. */
  readonly end: string
  /** The tools that ran. */
  readonly ran: readonly string[]
  /** Requests to the provider. */
  readonly requests: number
  /** What a strict provider says to a next request with what is kept, or `ok`. */
  readonly next: string
  /** What is kept of it for that, in few words. */
  readonly kept: string
}

export type Loop = (scene: string, provider: Provider, fetch: typeof globalThis.fetch) => Promise<Seen>

/** What the tools of every loop have done. */
export function trace(): { readonly ran: string[]; lookUp(city: string): string } {
  const ran: string[] = []
  return {
    ran,
    lookUp(city) {
      ran.push(`look_up ${city}`)
      return `it is fine in ${city}`
    },
  }
}

export const TURNS = 30

/** Whether anybody still waits, once every promise and every timer has had its turn. */
export async function settled<Value>(promise: Promise<Value>, tick: () => boolean): Promise<Value | 'hangs'> {
  let over = false
  const done = (): void => void (over = true)
  promise.then(done, done)
  for (let idle = 0; idle < TURNS; idle++) {
    for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
    if (over) return promise
    if (tick()) idle = 0
  }
  return 'hangs'
}

/** `messages` as a chat request has them. */
export function nextOf(messages: unknown): string {
  const verdict = objection({ stream: true, messages } as Parameters<typeof objection>[0])
  return verdict ?? 'ok'
}
