/** AG-UI 1.0: runs as its events, and its streams, messages and requests read back. */
import type { Failure, Json, Protocol, RequestOptions } from '@factwire/core'
import { decoder, type DecoderOptions } from './decoder.ts'
import { fidelity } from './fidelity.ts'
import { framing } from './framing.ts'
import { grammar } from './grammar.ts'
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
  fidelity,
  grammar,
  error: (_status, { code, message }) => ({ error: message ?? code, code }),
  request,
}

export { decoder, fidelity, framing, grammar, history, request, transcoder }
export type { AgUiOptions, AgUiRequest, DecoderOptions }
export type { HistoryOptions } from './history.ts'
export type { FramingOptions } from './framing.ts'
export { createFraming } from './framing.ts'
export { negotiate, PROTO_MEDIA_TYPE } from './negotiate.ts'
export { parseAgUi } from './parse.ts'
export type {
  ActivityDeltaEvent,
  ActivitySnapshotEvent,
  AgUiEvent,
  CustomEvent,
  MessagesSnapshotEvent,
  RawEvent,
  ReasoningEncryptedValueEvent,
  ReasoningEndEvent,
  ReasoningMessageChunkEvent,
  ReasoningMessageContentEvent,
  ReasoningMessageEndEvent,
  ReasoningMessageStartEvent,
  ReasoningStartEvent,
  RunErrorEvent,
  RunFinishedEvent,
  RunStartedEvent,
  StateDeltaEvent,
  StateSnapshotEvent,
  StepFinishedEvent,
  StepStartedEvent,
  SubagentErrorEvent,
  SubagentFinishedEvent,
  SubagentStartedEvent,
  SubagentSuccess,
  SubagentSuspended,
  TextMessageChunkEvent,
  TextMessageContentEvent,
  TextMessageEndEvent,
  TextMessageStartEvent,
  TextRole,
  ToolCallArgsEvent,
  ToolCallChunkEvent,
  ToolCallEndEvent,
  ToolCallResultEvent,
  ToolCallStartEvent,
} from './wire.ts'
export type {
  ActivityMessage,
  AgUiMessage,
  AssistantMessage,
  Content,
  ContentPart,
  DataSource,
  FactwireDocument,
  FactwireMetadata,
  FileSource,
  InstructionMessage,
  MediaPart,
  Metadata,
  ReasoningMessage,
  Source,
  TextPart,
  ToolCall,
  ToolMessage,
  UrlSource,
  UserMessage,
} from './wire-message.ts'
export type {
  CancelledOutcome,
  ContextItem,
  Interrupt,
  InterruptOutcome,
  Outcome,
  ResumeEntry,
  RunAgentInput,
  SuccessOutcome,
  Tool,
  Usage,
} from './wire-run.ts'
export { isTerminal } from './wire.ts'
