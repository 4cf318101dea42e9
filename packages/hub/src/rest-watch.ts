/**
 * Whether a client has nothing open, by the grammar of its wire.
 *
 * A check remembers every item that a stream has named, and a long run has many. Where nothing is open all of them are over, so
 * from there on it is as after a start.
 */
import { type GrammarCheck, type RunContext, checkGrammar } from '@factwire/core'
import type { Wire } from './channel.ts'

export interface RestWatch {
  push(frames: readonly unknown[]): void
  /** A segment begins: what was named before is over. */
  begin(): void
  /** Undefined where the wire does not say what may be open. */
  rests(): boolean | undefined
}

export function restWatch(wire: Wire, options: unknown, context: RunContext): RestWatch {
  const { grammar } = wire
  let check: GrammarCheck<unknown> | undefined = grammar && checkGrammar(grammar)

  function started(): GrammarCheck<unknown> | undefined {
    const fresh = grammar && checkGrammar(grammar)
    for (const frame of wire.transcoder(context, options).fact({ type: 'run_started' })) fresh?.push(frame)
    return fresh
  }

  return {
    push(frames) {
      if (check) for (const frame of frames) check.push(frame)
    },
    begin() {
      check = grammar && checkGrammar(grammar)
    },
    rests() {
      const rests = check?.atRest()
      if (rests) check = started()
      return rests
    },
  }
}
