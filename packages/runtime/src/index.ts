/** An agent's loop: a model asked, its tools run, its faults mended; and at every moment a thread that can be asked with again. */
export type { Agent, AgentOptions, AgentRun, RunOptions } from './agent.ts'
export { agent } from './agent.ts'
export { askable } from './askable.ts'
export type { Brought } from './begin.ts'
export type { StreamCheckpoint, StreamCheckpointStore } from './checkpoint.ts'
export { memoryCheckpoints } from './checkpoint.ts'
export type { Clock } from './clock.ts'
export { systemClock } from './clock.ts'
export { expiresAt } from './expiry.ts'
export type { EventStream } from './event-stream.ts'
export { eventStream } from './event-stream.ts'
export type { FailureCode } from './failure.ts'
export type { Journal, Note } from './journal.ts'
export { memoryJournal, saidIn } from './journal.ts'
export type { Limits } from './limits.ts'
export { defaultLimits } from './limits.ts'
export type { Asked, Model, ModelRequest } from './model.ts'
export type { Output } from './output.ts'
export type {
  Approval,
  InputSchema,
  SchemaIssue,
  SchemaVerdict,
  Tool,
  ToolAnswer,
  ToolContext,
  ToolGiven,
} from './tool.ts'
