/** The AI SDK's UI message stream: runs as its chunks, and its streams, messages and requests read back. */
import type { Committed, Decodable, Decoder, Failure, Json, Protocol, RequestOptions } from '@factwire/core'
import { type AiSdkDecoderOptions, decoder } from './decoder.ts'
import { fidelity } from './fidelity.ts'
import { framing } from './framing.ts'
import { createGrammar, grammar } from './grammar.ts'
import { history, type HistoryOptions } from './history.ts'
import { type AiSdkRequest, request } from './request.ts'
import { type AiSdkOptions, transcoder } from './transcoder.ts'
import type { UiMessage } from './ui-message.ts'
import type { UiFrame } from './wire.ts'

export interface AiSdk extends Protocol<UiFrame, AiSdkOptions> {
  decoder(options?: AiSdkDecoderOptions): Decoder<UiFrame>
  error(status: number, failure: Failure): Json
  history(committed: Committed, options?: HistoryOptions): readonly UiMessage[]
  request(body: unknown, options?: RequestOptions): AiSdkRequest
}

/** A client shows the body of a refused request as it is. */
const error = (_status: number, { code, message }: Failure): Json => ({ error: message ?? code, code })

export const aiSdk: AiSdk & Decodable<UiFrame, AiSdkDecoderOptions> = {
  name: 'ai-sdk',
  framing,
  // Its clients cannot name a position: one that comes back begins the message anew.
  resume: 'replay',
  transcoder,
  decoder,
  history,
  fidelity,
  grammar,
  error,
  request,
}

export { createGrammar, decoder, error, fidelity, framing, grammar, history, request, transcoder }
export type { AiSdkDecoderOptions, AiSdkOptions, AiSdkRequest, HistoryOptions }
export type { MessageMetadata, RunEnd } from './metadata.ts'
export { fromStreamText } from './stream-text.ts'
export type { StreamTextOptions, StreamTextPart } from './stream-text.ts'
export type {
  Approval,
  FilePart,
  ReasoningPart,
  StepStartPart,
  TextPart,
  ToolPart,
  ToolState,
  UiMessage,
  UiPart,
} from './ui-message.ts'
export { answerId } from './turn.ts'
export type {
  AbortChunk,
  DataChunk,
  ErrorChunk,
  FactwireData,
  FinishChunk,
  FinishReason,
  FinishStepChunk,
  MessageMetadataChunk,
  OtherChunk,
  ProviderMetadata,
  ResetStepChunk,
  StartChunk,
  StartStepChunk,
  Target,
  TextDeltaChunk,
  TextEndChunk,
  TextStartChunk,
  ToolApprovalRequestChunk,
  ToolApprovalResponseChunk,
  ToolInputAvailableChunk,
  ToolInputDeltaChunk,
  ToolInputErrorChunk,
  ToolInputStartChunk,
  ToolOutputAvailableChunk,
  ToolOutputDeniedChunk,
  ToolOutputErrorChunk,
  UiChunk,
  UiFrame,
  UiUsage,
} from './wire.ts'
