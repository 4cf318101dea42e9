/** For tests: a clock that stands still, and what every store and every bus has to do. */
export type { ManualClock } from './testing/manual-clock.ts'
export { manualClock } from './testing/manual-clock.ts'
export type { BusUnderTest } from './testing/bus-cases.ts'
export { busCases } from './testing/bus-cases.ts'
export type { PortCase } from './testing/port-case.ts'
export { PortBroken } from './testing/port-case.ts'
export { storeCases } from './testing/store-cases.ts'
