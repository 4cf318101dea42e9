/**
 * Readers that are behind take turns: what they cost is cut into slices, and between two of them those who are not behind get what is
 * live.
 */
import type { Clock } from './clock.ts'

export interface Turns {
  /** True: go on at once. Otherwise the task is called when it may go on. */
  ask(task: () => void): boolean
}

/** In one turn of the event loop no slice begins when so many milliseconds have gone into others. */
export function turns(clock: Clock, milliseconds: number): Turns {
  let waiting: (() => void)[] = []
  let began: number | undefined

  function hasTime(): boolean {
    const now = clock.now()
    if (began === undefined) {
      began = now
      clock.soon(next)
    }
    return now - began < milliseconds
  }

  function next(): void {
    began = undefined
    const due = waiting
    let at = 0
    // Who comes meanwhile stands behind those who wait.
    waiting = []
    while (at < due.length && hasTime()) due[at++]?.()
    waiting = [...due.slice(at), ...waiting]
  }

  return {
    ask(task) {
      if (waiting.length === 0 && hasTime()) return true
      waiting.push(task)
      return false
    },
  }
}
