/** For tests: what every journal and every store of checkpoints has to do. */
export { checkpointCases } from './testing/checkpoint-cases.ts'
export { journalCases } from './testing/journal-cases.ts'
export type { PortCase } from './testing/port-case.ts'
export { PortBroken } from './testing/port-case.ts'
