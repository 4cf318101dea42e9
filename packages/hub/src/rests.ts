/** Whether the clients of a wire rest between two steps: then a commit that leaves nothing open leaves nothing open on the wire either. */
import { type RunContext, checkGrammar } from '@factwire/core'
import type { Wire } from './channel.ts'

/** Undefined where the wire does not say what may be open. */
export function restsBetween(
  { grammar, transcoder }: Wire,
  options: unknown,
  context: RunContext,
): boolean | undefined {
  if (!grammar) return undefined
  const check = checkGrammar(grammar)
  for (const frame of transcoder(context, options).fact({ type: 'run_started' })) check.push(frame)
  return check.atRest()
}
