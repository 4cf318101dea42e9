/**
 * The answer to a request that did not ask for a stream: the response that the stream of the same facts ends with.
 *
 * It is read off the transcoder's own events, so that both forms of an answer cannot come apart.
 */
import type { Fact, RunContext } from '@factwire/core'
import type { ResponseObject } from './response.ts'
import type { OpenAiResponsesOptions } from './options.ts'
import { transcoder } from './transcoder.ts'
import { DONE } from './wire.ts'

export type CompleteOptions = Omit<OpenAiResponsesOptions, 'startingAfter' | 'done'>

/** The response for the facts of one segment. A run that failed, or has no end, is a response that says so, with status 200. */
export function complete(facts: readonly Fact[], run: RunContext, options: CompleteOptions = {}): ResponseObject {
  const model = run.model ?? facts.findLast((fact) => fact.type === 'inference_completed')?.model
  const target = transcoder(model === undefined ? run : { ...run, model }, options)
  const start = facts.some(({ type }) => type === 'run_started') ? [] : target.fact({ type: 'run_started' })
  const frames = [...start, ...facts.flatMap((fact) => target.fact(fact)), ...target.settled(), ...target.close()]
  const responses = frames.flatMap((frame) => (frame !== DONE && 'response' in frame ? [frame.response] : []))
  const last = responses.at(-1)
  // Whatever the facts are, the stream was begun and closed.
  if (!last) throw new TypeError('a stream without a response')
  return last
}
