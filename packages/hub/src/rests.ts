/**
 * What the grammar of a wire says of its streams: whether its clients rest between two steps, so that a commit that leaves nothing open leaves
 * nothing open on the wire either; and whether frames end their stream.
 */
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
  const frames = transcoder(context, options).fact({ type: 'run_started' })
  // One that leaves out what its client has of the beginning does not show where that stands.
  if (frames.length === 0) return false
  for (const frame of frames) check.push(frame)
  return check.atRest()
}

/** Whether nothing follows these frames, such as those that say that the stream has failed. Undefined where the wire does not say. */
export function isEnd(
  { grammar, transcoder }: Wire,
  options: unknown,
  context: RunContext,
  frames: readonly unknown[],
): boolean | undefined {
  if (!grammar) return undefined
  const check = checkGrammar(grammar)
  for (const started of transcoder(context, options).fact({ type: 'run_started' })) check.push(started)
  for (const frame of frames) check.push(frame)
  return check.ended() !== undefined
}
