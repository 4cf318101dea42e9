/** Anthropic Messages: serves a run to any client of the Messages API, and reads what its providers stream. */
import type { Fact, Failure, Protocol, RequestOptions, RunContext } from '@factwire/core'
import { approvedCall } from './approval.ts'
import { complete } from './complete.ts'
import { type AnthropicMessagesDecoderOptions, decoder } from './decoder.ts'
import { error } from './error-body.ts'
import { fidelity } from './fidelity.ts'
import { framing } from './framing.ts'
import { grammar } from './grammar.ts'
import { history } from './history.ts'
import { type MessagesRequest, request } from './request.ts'
import { type AnthropicMessagesOptions, transcoder } from './transcoder.ts'
import type { MessagesAnswer, MessagesFailure, MessagesFrame } from './wire.ts'

export interface AnthropicMessages extends Protocol<MessagesFrame, AnthropicMessagesOptions> {
  decoder(options?: AnthropicMessagesDecoderOptions): ReturnType<typeof decoder>
  complete(
    facts: readonly Fact[],
    run: RunContext,
    options?: AnthropicMessagesOptions,
  ): MessagesAnswer | MessagesFailure
  request(body: unknown, options?: RequestOptions): MessagesRequest
  error(status: number, failure: Failure): MessagesFailure
}

export const anthropicMessages: AnthropicMessages = {
  name: 'anthropic-messages',
  framing,
  resume: 'none',
  fidelity,
  grammar,
  transcoder,
  decoder,
  complete,
  history,
  request,
  error,
}

export { approvedCall, complete, decoder, error, fidelity, framing, grammar, history, request, transcoder }
export type { AnthropicMessagesDecoderOptions, AnthropicMessagesOptions, MessagesRequest }
export type { AssistantParam, MessageParam, MessagesThread, UserParam } from './param.ts'
export type { MessagesAnswer, MessagesFailure, MessagesFrame, StopReason, WrittenEvent } from './wire.ts'
