/** OpenAI Responses streams: serves a run to any client of theirs, and reads any server that speaks them. */
import type { Committed, Fact, Failure, Protocol, RequestOptions, RunContext } from '@factwire/core'
import { complete, type CompleteOptions } from './complete.ts'
import { decoder, type OpenAiResponsesDecoderOptions } from './decoder.ts'
import { error } from './error-body.ts'
import { fidelity } from './fidelity.ts'
import { framing } from './framing.ts'
import { grammar } from './grammar.ts'
import { history } from './history.ts'
import type { InputItem } from './input.ts'
import { request, type ResponsesRequest } from './request.ts'
import type { ResponseObject } from './response.ts'
import type { OpenAiResponsesOptions } from './options.ts'
import { transcoder } from './transcoder.ts'
import type { ErrorBody, ResponsesFrame } from './wire.ts'

export interface OpenAiResponses extends Protocol<ResponsesFrame, OpenAiResponsesOptions> {
  decoder(options?: OpenAiResponsesDecoderOptions): ReturnType<typeof decoder>
  complete(facts: readonly Fact[], run: RunContext, options?: CompleteOptions): ResponseObject
  history(committed: Pick<Committed, 'messages'>): InputItem[]
  request(body: unknown, options?: RequestOptions): ResponsesRequest
  error(status: number, failure: Failure): ErrorBody
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
  history,
  request,
  error,
}

export { complete, decoder, error, fidelity, framing, grammar, history, request, transcoder }
export type { CompleteOptions, OpenAiResponsesDecoderOptions, OpenAiResponsesOptions, ResponsesRequest }
export type { InputItem, InputPart } from './input.ts'
export type { OutputItem } from './item.ts'
export type { ResponseObject, ResponseStatus, Usage } from './response.ts'
export type { ErrorBody, ResponsesEvent, ResponsesFrame, WrittenEvent, WrittenFrame } from './wire.ts'
