/** OpenAI Responses streams: serves a run to any client of theirs, and reads any server that speaks them. */
import type { Fact, Protocol, RunContext } from '@factwire/core'
import { complete, type CompleteOptions } from './complete.ts'
import { decoder, type OpenAiResponsesDecoderOptions } from './decoder.ts'
import { error } from './error-body.ts'
import { fidelity } from './fidelity.ts'
import { framing } from './framing.ts'
import { grammar } from './grammar.ts'
import type { ResponseObject } from './response.ts'
import { type OpenAiResponsesOptions, transcoder } from './transcoder.ts'
import type { ResponsesFrame } from './wire.ts'

export interface OpenAiResponses extends Protocol<ResponsesFrame, OpenAiResponsesOptions> {
  decoder(options?: OpenAiResponsesDecoderOptions): ReturnType<typeof decoder>
  complete(facts: readonly Fact[], run: RunContext, options?: CompleteOptions): ResponseObject
}

export const openaiResponses: OpenAiResponses = {
  name: 'openai-responses',
  framing,
  resume: 'replay',
  fidelity,
  grammar,
  transcoder,
  decoder,
  complete,
  error,
}

export type { CompleteOptions, OpenAiResponsesDecoderOptions, OpenAiResponsesOptions, ResponseObject }
export type { ResponsesFrame } from './wire.ts'
export { complete, decoder, error, fidelity, framing, grammar, transcoder }
