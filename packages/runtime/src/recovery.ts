/**
 * What to do with an answer that broke off after it was shown: one of four plans, by what there is of it.
 *
 * Whatever the plan, what is committed follows from what the provider said, never from what some client saw.
 */
import { isComplete, type Said, type SaidCall } from './said.ts'

export type Plan =
  /** Some calls are complete: they are run, and the turn ends with them. */
  | { readonly type: 'use_calls'; readonly lost: readonly SaidCall[] }
  /** There is text, and calls in the middle: the calls are taken back, the text is continued. */
  | { readonly type: 'truncate'; readonly lost: readonly SaidCall[] }
  /** There is only text: it is continued. */
  | { readonly type: 'continue' }
  /** There is nothing that can be kept: all of it is taken back. */
  | { readonly type: 'restart' }

/** `kept` is the text that earlier attempts have left. */
export function planOf(said: Said, kept: string, continueText: boolean): Plan {
  const calls = [...said.calls.values()]
  const lost = calls.filter((call) => !isComplete(call))
  if (lost.length < calls.length) return { type: 'use_calls', lost }
  if (!continueText || kept + said.text === '') return { type: 'restart' }
  return lost.length > 0 ? { type: 'truncate', lost } : { type: 'continue' }
}
