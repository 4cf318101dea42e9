/** The neutral vocabulary of agent runs and everything that is true of every wire. */
export type {
  Base64Source,
  ContentBlock,
  DocumentBlock,
  FileSource,
  ImageBlock,
  RedactedBlock,
  SearchResultBlock,
  TextBlock,
  TextSource,
  ThinkingBlock,
  TokenUsage,
  ToolResultBlock,
  ToolUseBlock,
  UrlSource,
} from './content.ts'
export { textOf } from './content.ts'
export type { AuditRecord, Classification } from './classify.ts'
export { auditRecord, classify } from './classify.ts'
export type { Disposing, ToldCall } from './dispositions.ts'
export { dispositionsOf } from './dispositions.ts'
export type { DistinctCalls, NamedCall } from './distinct-calls.ts'
export { distinctCalls } from './distinct-calls.ts'
export type { DecodeOptions, DecodeStreamOptions, Reader } from './decode.ts'
export { decode, reader } from './decode.ts'
export type { ErrorCode, ErrorPlace } from './error.ts'
export { FactwireError } from './error.ts'
export type {
  ActivityDelta,
  ActivitySnapshot,
  AgentEvent,
  AssistantMessage,
  AssistantThinking,
  Awaiting,
  Continuation,
  Delta,
  DeltaEvent,
  Disposition,
  Fact,
  FactEvent,
  InferenceCompleted,
  ReasoningDelta,
  RunFailed,
  RunFinished,
  RunOutput,
  RunStarted,
  StateDelta,
  StateSnapshot,
  StepEnded,
  StepStarted,
  StreamReset,
  TextDelta,
  ToolCallCancelled,
  ToolCallDelta,
  ToolCallFact,
  ToolOutputDelta,
  ToolResultFact,
  V1Delta,
  V1Fact,
} from './event.ts'
export { deltaEvent, factEvent } from './event.ts'
export type { Depends, Fate, Fidelity, FidelityCase, Loss } from './fidelity.ts'
export { dropped, exact, fateOf, harmless, lossOf, lossy } from './fidelity.ts'
export { failedPlainly, waitsForClient, waitsForNobody, wasCancelled } from './fidelity-cases.ts'
export { endRun } from './end-run.ts'
export type { Folded, FoldOptions } from './fold.ts'
export type { HistorySink } from './fold-history.ts'
export { fold } from './fold.ts'
export { foldHistory, hasText } from './fold-history.ts'
export type { Fragment, Fragments } from './fragments.ts'
export { fragments } from './fragments.ts'
export type {
  Breach,
  Grammar,
  GrammarCheck,
  ItemState,
  Machine,
  MachineState,
  Move,
  Rule,
  RuleForce,
  Step,
  StreamEnd,
} from './grammar.ts'
export { checkGrammar, drawMachine, STREAM_OVER } from './grammar.ts'
export type { Json, JsonLimits, JsonObject, JsonPatch } from './json.ts'
export {
  escaped,
  isInfinite,
  isJsonObject,
  isObject,
  parseJson,
  parseUnread,
  quote,
  stringify,
  TOO_LARGE,
} from './json.ts'
export type { PatchedDocument } from './json-patch.ts'
export { equalJson, patchedDocument } from './json-patch.ts'
export type {
  Committed,
  Decodable,
  Decoder,
  Described,
  Encodable,
  Framing,
  FragmentPath,
  Joined,
  Protocol,
  Resume,
  StreamFailureCode,
  Template,
  Transcoder,
  WireMessage,
} from './protocol.ts'
export { isCommit, none } from './protocol.ts'
export { frameReader } from './frame-reader.ts'
export { endCause, jsonPatch, pending, tokenUsage } from './read-run.ts'
export type { Fields, Members, OnUnknown, Read } from './read-value.ts'
export {
  amount,
  anyJson,
  arrayOf,
  at,
  boolean,
  count,
  field,
  integer,
  json,
  known,
  knownOf,
  lenient,
  jsonObject,
  nonEmptyString,
  number,
  object,
  ofProtocol,
  oneOf,
  optional,
  optionalJson,
  otherwise,
  own,
  record,
  refuse,
  refuseValue,
  string,
  variants,
} from './read-value.ts'
export type { ClientTool, Decision, RequestOptions, RunRequest, Said } from './request.ts'
export { decision, saidIn, yesOrNo } from './request.ts'
export { extractResponse } from './response.ts'
export type {
  EndCause,
  Failure,
  Pending,
  PushRunInputsPayload,
  ResumeMode,
  RunContext,
  RunIdentity,
  RunMessage,
  RunState,
  StoppedReason,
  SuspendTicket,
  Suspension,
  TerminationReason,
  ToolCallOutcome,
  ToolResult,
  ToolStatus,
} from './run.ts'
export type { End, EndDecision, EndRequest } from './terminal.ts'
export { decideEnd } from './terminal.ts'
export type { Activity, Commit, Inference, Message, OpenCall, Role, Standing } from './thread.ts'
export { argumentsOf, callIn, callsOf, sinceRequest } from './thread.ts'
export type { OpenCalls } from './open-calls.ts'
export { createOpenCalls } from './open-calls.ts'
export type { TranscodeOptions, Writer } from './transcode.ts'
export { endsSegment, text, transcode, writer } from './transcode.ts'
export type { Preview, PreviewOptions } from './preview.ts'
export type { PatchOrder } from './patch-order.ts'
export { createPatchOrder } from './patch-order.ts'
export { createPreview } from './preview.ts'
export type { CallItem, KnownCall } from './preview-calls.ts'
export type { Item } from './preview-item.ts'
export type { MessageFact, Truth, Turn } from './preview-turn.ts'
export { unhold } from './preview-item.ts'
export type { SegmentParts, SegmentState } from './segment.ts'
export { endOf, segment } from './segment.ts'
export { hasAt } from './has-at.ts'
export { onePiece } from './one-piece.ts'
export { argumentsTail, tailOf } from './settle.ts'
export { parseEvent, parseEventText } from './parse.ts'
export { parseMessage, parseMessages } from './parse-message.ts'
export type { CommitInput, RunWriter, RunWriterOptions, Written } from './run-writer.ts'
export { runWriter } from './run-writer.ts'
export type { ToolOutcome } from './writer-results.ts'
export type { ThoughtSeal } from './draft.ts'
