/** The SSE wire: one flat event a frame, numbered; and what it takes to serve, read and fold it. */
import type { Protocol } from '@factwire/core'
import { decoder } from './decoder.ts'
import { fidelity } from './fidelity.ts'
import { framing } from './framing.ts'
import { grammar } from './grammar.ts'
import { history } from './history.ts'
import { transcoder } from './transcoder.ts'
import type { FlatEvent } from './wire.ts'

export const sse: Protocol<FlatEvent> = {
  name: 'sse',
  framing,
  resume: 'tail',
  fidelity,
  grammar,
  transcoder,
  decoder,
  history,
  error: (_status, { code, message }) => ({ error: message ?? code, code }),
}

export { decoder, fidelity, framing, grammar, history, transcoder }
export { formatSseComment, formatSseData, formatSseDataWithId, formatSseMessage } from './format.ts'
export { parseFlat } from './parse.ts'
export { flatMessages } from './parse-messages.ts'
export type { RunEvents } from './pump.ts'
export type { ReadOptions, SseReader, SseSource } from './read.ts'
export { createSseReader, readSse } from './read.ts'
export type { Reducer } from './reduce.ts'
export { createReducer, reduce } from './reduce.ts'
export type { NodeResponse, RespondOptions } from './respond.ts'
export { respond, writeTo } from './respond.ts'
export type {
  Call,
  CallStatus,
  Turn,
  View,
  ViewActivity,
  ViewError,
  ViewMessage,
  ViewResult,
  ViewRun,
  ViewStatus,
} from './view.ts'
export { ended } from './view.ts'
export type {
  ActivityDeltaEvent,
  ActivitySnapshotEvent,
  ErrorEvent,
  FlatBlock,
  FlatEvent,
  FlatMessage,
  FlatThinkingBlock,
  FlatToolCall,
  InferenceCompleteEvent,
  MessagesSnapshotEvent,
  ReasoningDeltaEvent,
  ReasoningEncryptedValueEvent,
  RunFinishEvent,
  RunStartEvent,
  StateDeltaEvent,
  StateSnapshotEvent,
  StepEndEvent,
  StepStartEvent,
  StreamResetEvent,
  TextDeltaEvent,
  ToolCallCancelEvent,
  ToolCallDeltaEvent,
  ToolCallDoneEvent,
  ToolCallReadyEvent,
  ToolCallResumedEvent,
  ToolCallStartEvent,
  ToolCallStreamDeltaEvent,
} from './wire.ts'
export { isTerminal } from './wire.ts'
