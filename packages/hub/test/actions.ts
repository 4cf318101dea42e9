/** What may happen to a run and its readers, in any order, or along the way of the run. */
import type { LiveRun } from '@factwire/conformance'
import fc from 'fast-check'

export type Action =
  | { readonly type: 'say' | 'turn' | 'store' | 'flow' | 'attach' }
  | { readonly type: 'back' | 'stall' | 'go'; readonly who: number }
  /** The client goes, and has got so many thousandths of what was on the way. */
  | { readonly type: 'cut'; readonly who: number; readonly at: number }
  | { readonly type: 'pass'; readonly milliseconds: number }

const anyWho = fc.nat({ max: 3 })

export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Action>({ type: 'say' }) },
  { weight: 4, arbitrary: fc.constant<Action>({ type: 'turn' }) },
  { weight: 5, arbitrary: fc.constant<Action>({ type: 'store' }) },
  { weight: 20, arbitrary: fc.constant<Action>({ type: 'flow' }) },
  { weight: 3, arbitrary: fc.constant<Action>({ type: 'attach' }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('cut' as const), who: anyWho, at: fc.nat({ max: 1000 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('back' as const), who: anyWho }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('stall' as const), who: anyWho }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('go' as const), who: anyWho }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('pass' as const), milliseconds: fc.constantFrom(1000, 16_000, 31_000) }),
  },
)

/** What happens to readers while a run goes its way: each after so many thousandths of it. */
export const anyCourse: fc.Arbitrary<readonly { readonly at: number; readonly action: Action }[]> = fc.array(
  fc.record({
    at: fc.nat({ max: 1000 }),
    action: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Action>({ type: 'attach' }) },
      { weight: 3, arbitrary: fc.record({ type: fc.constant('stall' as const), who: anyWho }) },
      { weight: 3, arbitrary: fc.record({ type: fc.constant('go' as const), who: anyWho }) },
      {
        weight: 1,
        arbitrary: fc.record({ type: fc.constant('cut' as const), who: anyWho, at: fc.nat({ max: 1000 }) }),
      },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('back' as const), who: anyWho }) },
    ),
  }),
  { minLength: 4, maxLength: 16, size: 'max' },
)

/** The actions of a course: between any two the run flows. */
export function actionsOf(
  course: readonly { readonly at: number; readonly action: Action }[],
  { script }: LiveRun,
): Action[] {
  const due = course
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, action }) => ({ at: Math.floor((at * script.length) / 1000), action }))
  const flow: Action = { type: 'flow' }
  return [
    { type: 'attach' },
    ...script.flatMap((_item, index) => [...due.filter(({ at }) => at === index).map(({ action }) => action), flow]),
  ]
}
