/** One live run, many readers: facts are stored and then shown, deltas are shown at once. */
export type { Attached, AttachedNothing, AttachedStream, Reading } from './attached.ts'
export { answer } from './attached.ts'
export type { Ask, LiveBus, LiveMessage, NumberedDelta } from './bus.ts'
export type { Clock } from './clock.ts'
export { systemClock } from './clock.ts'
export type { AttachOptions, Hub, HubOptions } from './hub.ts'
export { createHub } from './hub.ts'
export type { Limits } from './limits.ts'
export { defaultLimits } from './limits.ts'
export { memoryBus } from './memory-bus.ts'
export { memoryStore } from './memory-store.ts'
export type { Counters, Metrics } from './metrics.ts'
export type { Spans } from './own-stream.ts'
export type { CommitOptions, Producer, Receipt } from './producer.ts'
export type { Left, Sink } from './reader.ts'
export type {
  Acquired,
  Append,
  Appended,
  Claim,
  Created,
  FactStore,
  Lease,
  NumberedFact,
  Opened,
  RunRecord,
  Step,
  StoredFact,
  StoredStep,
} from './store.ts'
