/** Numbers that do not say what their client has seen: that depends on when it came, or was shown by another process. */
import { leftByStep, openedIn, type Piece, strays } from './open-step.ts'
import type { Step } from './store.ts'

export interface Unsure {
  /** A client that stands there may have seen one thing or another. `head` is the number of the last event. */
  at(seq: number, head: number): boolean
  /**
   * In the segment of that number something was shown that no commit told of, and its end has not taken that back yet: who came later has
   * not seen it.
   */
  strayed(seq: number): boolean
  /** Of a message that the last commit has left open something was not shown here. */
  readonly lacks: boolean
  /** An event with the number `next` comes right after the one with the number `head`, here. */
  delta(head: number, next: number): void
  /** A commit. `left` is what it leaves open of what is. */
  step(head: number, step: Step, open: readonly Piece[], left: readonly Piece[]): void
}

/** From one number up to another. */
type Range = readonly [from: number, to: number]

export function unsure(): Unsure {
  /** Commits that left a message open: who stands at their last fact may have any part of it. */
  const leftOpen = new Set<number>()
  /** The last event before what was not shown here, and the first after it. */
  const gaps: Range[] = []
  /** The last event before what was not shown here of the step that is open. */
  let gap: number | undefined
  /** Of segments that are over. */
  const strayed: Range[] = []
  /** In this one. */
  let hasStrayed = false
  let segment = 0
  let lacks = false

  const isUnseen = (seq: number): boolean =>
    (gap !== undefined && gap < seq) || gaps.findLast(([before, after]) => before < seq && seq < after) !== undefined

  const hasStrayedAt = (seq: number): boolean =>
    (hasStrayed && seq >= segment) || strayed.some(([from, to]) => from <= seq && seq < to)

  /** What another process has shown, and this commit passes over. */
  function passesOver(step: Step): boolean {
    const { commit, opened } = step
    if (!opened || !isUnseen(opened.seq) || commit.messages.some(({ id }) => id === opened.message)) return false
    return leftByStep(step) === undefined
  }

  return {
    at: (seq, head) => leftOpen.has(seq) || isUnseen(seq) || (seq < head && hasStrayedAt(seq)),
    strayed: hasStrayedAt,
    get lacks() {
      return lacks
    },
    delta(head, next) {
      if (next > head + 1) gap ??= head
    },
    step(head, step, open, left) {
      const { facts } = step
      const [first, last] = [facts[0], facts.at(-1)]
      if (!first || !last) return
      const before = gap ?? (first.seq > head + 1 ? head : undefined)
      if (before !== undefined) gaps.push([before, first.seq])
      gap = undefined
      for (const { seq, fact } of facts) if (fact.type === 'run_started') segment = seq
      hasStrayed ||= strays(open, left, step) || passesOver(step)
      const isLeft = (leftByStep(step) ?? openedIn(left)[0]) !== undefined
      if (isLeft) leftOpen.add(last.seq)
      lacks = isLeft && (lacks || before !== undefined)
      if (step.after.state?.type === 'running') return
      if (hasStrayed) strayed.push([segment, last.seq])
      hasStrayed = false
    },
  }
}
