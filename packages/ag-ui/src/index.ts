/** AG-UI 1.0: runs as its events, and its streams, messages and requests read back. */
import type { Failure, Json, Protocol, RequestOptions } from '@factwire/core'
import { decoder, type DecoderOptions } from './decoder.ts'
import { framing } from './framing.ts'
import { history } from './history.ts'
import { type AgUiRequest, request } from './request.ts'
import { type AgUiOptions, transcoder } from './transcoder.ts'
import type { AgUiEvent } from './wire.ts'

export interface AgUi extends Protocol<AgUiEvent, AgUiOptions> {
  decoder(options?: DecoderOptions): ReturnType<typeof decoder>
  error(status: number, failure: Failure): Json
  request(body: unknown, options?: RequestOptions): AgUiRequest
}

export const agUi: AgUi = {
  name: 'ag-ui',
  framing,
  // Its clients cannot name a position: one that comes late gets the whole conversation.
  resume: 'replay',
  transcoder,
  decoder,
  history,
  error: (_status, { code, message }) => ({ error: message ?? code, code }),
  request,
}

export { decoder, framing, history, request, transcoder }
export type { AgUiOptions, AgUiRequest, DecoderOptions }
export type { HistoryOptions } from './history.ts'
export type { FramingOptions } from './framing.ts'
export { createFraming } from './framing.ts'
export { negotiate, PROTO_MEDIA_TYPE } from './negotiate.ts'
export { parseAgUi } from './parse.ts'
export type {
  ActivityDeltaEvent,
  ActivityMessage,
  ActivitySnapshotEvent,
  AgUiEvent,
  AgUiMessage,
  AssistantMessage,
  CancelledOutcome,
  Content,
  ContentPart,
  ContextItem,
  CustomEvent,
  DataSource,
  FactwireDocument,
  FactwireMetadata,
  FileSource,
  InstructionMessage,
  Interrupt,
  InterruptOutcome,
  MediaPart,
  MessagesSnapshotEvent,
  Metadata,
  Outcome,
  RawEvent,
  ReasoningEncryptedValueEvent,
  ReasoningEndEvent,
  ReasoningMessage,
  ReasoningMessageChunkEvent,
  ReasoningMessageContentEvent,
  ReasoningMessageEndEvent,
  ReasoningMessageStartEvent,
  ReasoningStartEvent,
  ResumeEntry,
  RunAgentInput,
  RunErrorEvent,
  RunFinishedEvent,
  RunStartedEvent,
  Source,
  StateDeltaEvent,
  StateSnapshotEvent,
  StepFinishedEvent,
  StepStartedEvent,
  SubagentErrorEvent,
  SubagentFinishedEvent,
  SubagentStartedEvent,
  SubagentSuccess,
  SubagentSuspended,
  SuccessOutcome,
  TextMessageChunkEvent,
  TextMessageContentEvent,
  TextMessageEndEvent,
  TextMessageStartEvent,
  TextPart,
  TextRole,
  Tool,
  ToolCall,
  ToolCallArgsEvent,
  ToolCallChunkEvent,
  ToolCallEndEvent,
  ToolCallResultEvent,
  ToolCallStartEvent,
  ToolMessage,
  UrlSource,
  Usage,
  UserMessage,
} from './wire.ts'
export { isTerminal } from './wire.ts'
