/** Generated runs, and what a transport does to them: what every wire must stand. */
export { CLIENT_TOOL, context } from './build.ts'
export type { Disturbance } from './disturb.ts'
export { anyDisturbance, disturb } from './disturb.ts'
export type { LiveRun, ResumedRun, RunOptions, ScriptItem } from './run.ts'
export { anyResumedRun, anyRun } from './run.ts'
export type { Unit } from './stream.ts'
export { groupsOf, joinAt, joinedFrames, units } from './stream.ts'
export { anyJson, anyText } from './values.ts'
